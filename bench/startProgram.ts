import { fork, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** Another process of a bench, with the first message it sent. */
export interface Program<Message> {
  readonly first: Message;
  /** Sends a word and waits for the next message. */
  ask(): Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts `programs/<name>.ts` and waits until it says something. */
export async function startProgram<Message>(
  name: string,
  args: readonly string[] = [],
): Promise<Program<Message>> {
  const child = fork(join(import.meta.dirname, "programs", `${name}.ts`), args);
  const first = (await heard(child)) as Message;
  return {
    first,
    ask: () => {
      child.send("go");
      return heard(child);
    },
    stop: () => stopped(child),
  };
}

/** Starts a program that prints lines, and waits for one that matches. */
export async function startPrinting(
  file: string,
  env: Readonly<Record<string, string>>,
  line: RegExp,
): Promise<{ readonly match: RegExpExecArray; stop(): Promise<void> }> {
  const child = spawn(process.execPath, [file], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  for await (const chunk of child.stdout.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
    printed += String(chunk);
    const match = line.exec(printed);
    if (match === null) continue;
    child.stdout.resume();
    return { match, stop: () => stopped(child) };
  }
  throw new Error(`The program ended before it said ${String(line)}.\n${printed}`);
}

function heard(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const listen = (message: unknown): void => {
      child.off("exit", ended);
      resolve(message);
    };
    const ended = (code: number | null): void => {
      child.off("message", listen);
      reject(new Error(`A program of the bench ended with ${String(code)}.`));
    };
    child.once("message", listen);
    child.once("exit", ended);
  });
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}
