import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseIfMatch, versionTag } from "@quota/http";

describe("If-Match", () => {
  const versions: [sentence: string, header: string | undefined, version: number | undefined][] = [
    ["names a version as its ETag does", '"3"', 3],
    ["may leave the quotes out", "3", 3],
    ["may be weak, as a proxy makes it", 'W/"3"', 3],
    ["may have spaces around it", ' "3" ', 3],
    ["of * asks for no version", "*", undefined],
    ["that is missing asks for no version", undefined, undefined],
  ];
  test.each(versions)("%s", (_sentence, header, version) => {
    expect(parseIfMatch(header)).toEqual({ ok: true, value: version });
  });

  test.each(['"3', '3"', '"3", "4"', '"x"', "-1", "1.5", "", '"1234567890123456"'])(
    "of %s is refused",
    (header) => {
      expect(parseIfMatch(header)).toMatchObject({ ok: false, faults: [{ path: "if-match" }] });
    },
  );

  test("property: reads every version back from its tag", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_999_999_999_999 }), (version) => {
        expect(parseIfMatch(versionTag(version))).toEqual({ ok: true, value: version });
      }),
    );
  });
});
