import { onTestFinished } from "vitest";
import {
  createProviderSimulator,
  type ProviderSimulator,
} from "../server/simulator/createProviderSimulator.js";
import type { SimulatorOptions } from "../server/simulator/simulatorOptions.js";

export interface RunningSimulator {
  readonly simulator: ProviderSimulator;
  readonly baseUrl: string;
  /** POSTs JSON. */
  readonly post: (path: string, body: unknown, init?: PostInit) => Promise<Response>;
}

export interface PostInit {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Sent as it stands, instead of the JSON. */
  readonly rawBody?: string;
}

/** A simulator on a free port that is closed when the test is over. */
export async function startSimulator(options: Partial<SimulatorOptions> = {}): Promise<RunningSimulator> {
  const simulator = createProviderSimulator(options);
  const { baseUrl } = await simulator.listen();
  onTestFinished(() => simulator.close());
  return {
    simulator,
    baseUrl,
    post: (path, body, { headers = {}, signal, rawBody = JSON.stringify(body) } = {}) =>
      fetch(baseUrl + path, {
        method: "POST",
        body: rawBody,
        redirect: "manual",
        headers: { "content-type": "application/json", ...headers },
        ...(signal === undefined ? {} : { signal }),
      }),
  };
}

/** A question in the form of each route. */
export const questions = {
  "/v1/chat/completions": { model: "m", messages: [{ role: "user", content: "Say hi" }] },
  "/v1/responses": { model: "m", input: "Say hi" },
  "/v1/messages": { model: "m", max_tokens: 4096, messages: [{ role: "user", content: "Say hi" }] },
  "/v1/embeddings": { model: "m", input: "Say hi" },
} as const;

/** The data of a stream's events, parsed where it is JSON. */
export function eventsOf(stream: string): readonly unknown[] {
  return stream
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => /^data: (.*)$/mu.exec(event)?.[1] ?? "")
    .map((data) => (data === "[DONE]" ? data : (JSON.parse(data) as unknown)));
}
