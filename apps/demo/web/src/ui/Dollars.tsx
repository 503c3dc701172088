import { dollarText } from "./dollarText.js";

/** An exact amount of US dollars, to read; in full when one points at it. */
export function Dollars({ of: exact }: { readonly of: string }) {
  return (
    <data value={exact} title={`$${exact}`}>
      {dollarText(exact)}
    </data>
  );
}
