import { onTestFinished } from "vitest";
import { spawnDemo, type DemoProcess } from "./spawnDemo.js";

export { buildDemo } from "./buildDemo.js";

/** Runs the built demo with nothing in its environment but this. Killed with the test. */
export function startProcess(
  main: string,
  options: { readonly env: Readonly<Record<string, string>>; readonly args?: readonly string[] },
): DemoProcess {
  const demo = spawnDemo(main, options);
  onTestFinished(() => void demo.child.kill("SIGKILL"));
  return demo;
}
