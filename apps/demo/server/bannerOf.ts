import { relative } from "node:path";
import { DEMO_KEYS } from "./firstStart.js";
import { isSimulated } from "./simulated.js";
import type { Gateway } from "./startGateway.js";

/** What a newcomer reads after the start: the link to the dashboard, the address, the keys, two lines that work when pasted, and last that it is ready. */
export function bannerOf({
  url,
  signInLink,
  onLoopback,
  dataDir,
  adminTokenFile,
  connections,
  demoKeys,
}: Gateway): string {
  const [first] = connections;
  const usable = DEMO_KEYS.filter(({ id }) => demoKeys.includes(id));
  const key = usable[0]?.secret ?? "YOUR-KEY";
  const model = first === undefined || isSimulated(first.baseUrl) ? "kimi-k2-simulated" : "YOUR-MODEL";
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "hello" }] });
  const path = relative(process.cwd(), dataDir);
  const data = path === "" || path.startsWith("..") ? dataDir : path;
  const token =
    adminTokenFile === undefined ? "the value of QUOTA_ADMIN_TOKEN" : `in ${data}/admin-token (mode 0600)`;
  return [
    "",
    "One provider account, shared by several keys.",
    "",
    `  dashboard    ${signInLink}`,
    "               (the link signs you in once; after that, type the admin token)",
    `  address      ${url}`,
    ...connections.map(
      ({ id, provider, baseUrl, models }) =>
        `  connection   ${id} (${provider}${isSimulated(baseUrl) ? ", the built-in simulator" : ""}${models === undefined ? "" : `, for ${models.join(", ")}`})`,
    ),
    `  data         ${data}`,
    `  admin token  ${token}`,
    ...usable.map(({ id, secret, weight }) => `  key          ${secret}  (${id}, ${weight} %)`),
    ...(onLoopback
      ? []
      : [
          "  key          (demo keys are off: others can reach this address; POST /api/keys makes real ones)",
        ]),
    "",
    "Paste one of these:",
    "",
    `curl -sS ${url}/v1/chat/completions -H 'authorization: Bearer ${key}' -H 'content-type: application/json' -d '${body}'`,
    "",
    `curl -sS ${url}/v1/usage -H 'authorization: Bearer ${key}'`,
    "",
    `ready ${url}`,
  ].join("\n");
}
