import { describe } from "vitest";

/** A suite that needs a program: run where there is one, and reported as skipped, by a title that says why, where there is none. */
export function describeWithProgram(
  title: string,
  { debianPackage, there }: { readonly debianPackage: string; readonly there: boolean },
  body: () => void,
): void {
  const said = there ? title : `${title} (SKIPPED: no ${debianPackage}; apt-get install ${debianPackage})`;
  describe.skipIf(!there)(said, body);
}
