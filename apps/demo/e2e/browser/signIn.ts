import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { TestGateway } from "../../test/startTestGateway.js";

/** Signs the page's context in as its admin, without going through the page that asks for the token. */
export async function signIn(page: Page, gateway: TestGateway): Promise<void> {
  const answer = await page.request.post(`${gateway.url}/api/session`, {
    data: { token: gateway.adminToken },
    headers: { origin: gateway.url },
  });
  expect(answer.status(), await answer.text()).toBe(204);
}
