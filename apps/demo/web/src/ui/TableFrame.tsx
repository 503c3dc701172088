import type { ReactNode } from "react";

/** Around a `.table`: it scrolls sideways where the page is narrow, by keyboard as well, so it needs a name. */
export function TableFrame({
  label,
  className = "",
  children,
}: {
  readonly label: string;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}) {
  return (
    // What scrolls has to be reached without a pointer.
    // eslint-disable-next-line jsx-a11y-x/no-noninteractive-tabindex
    <div className={`table-frame ${className}`} tabIndex={0} role="region" aria-label={label}>
      {children}
    </div>
  );
}
