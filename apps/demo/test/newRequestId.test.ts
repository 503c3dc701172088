import fc from "fast-check";
import { expect, test } from "vitest";
import { newRequestId } from "../server/newRequestId.js";

const moments = fc.integer({ min: 0, max: 2 ** 48 - 1 });

test("ids of requests are in the order of their milliseconds", () => {
  fc.assert(
    fc.property(moments, moments, (a, b) => {
      fc.pre(a < b);
      expect(newRequestId(a) < newRequestId(b)).toBe(true);
    }),
  );
});

test("ids of one millisecond are apart, and all as long", () => {
  const ids = Array.from({ length: 1000 }, () => newRequestId(1_700_000_000_000));
  expect(new Set(ids).size).toBe(1000);
  for (const id of ids) expect(id).toMatch(/^req_018bcfe56800[0-9a-f]{20}$/u);
});
