import { familyNamed } from "./families/familyNamed.js";
import type { UsageEndpoint } from "./families/providerFamily.js";
import type { ReceivedRequest } from "./receiveRequest.js";

/** The family's usage endpoint, if that is where a request goes. */
export function usageEndpointOf({
  family,
  path,
}: Pick<ReceivedRequest, "family" | "path">): UsageEndpoint | undefined {
  const { usage } = family === "by-dialect" ? {} : familyNamed(family);
  return usage?.pathEnds.some((end) => path.endsWith(end)) === true ? usage : undefined;
}
