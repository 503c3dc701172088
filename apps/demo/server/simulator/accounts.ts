import { createAccount, type Account } from "./account.js";
import { defaultAccountSettings, type AccountSettings, type WindowTerms } from "./accountSettings.js";
import { familyNamed } from "./families/familyNamed.js";
import type { FamilyName } from "./families/familyName.js";
import type { SimulatorOptions } from "./simulatorOptions.js";

/** Who is asked, and with which credential; `"by-dialect"` under no family's path. */
export interface AccountName {
  readonly family: FamilyName | "by-dialect";
  readonly credential: string;
}

export interface AccountKeeper {
  /** Opened when it is first named. */
  of(name: AccountName): Account;
  all(): readonly (readonly [AccountName, Account])[];
}

/** One account per credential and family: the same credential at two providers is two accounts. */
export function keepAccounts(options: () => SimulatorOptions): AccountKeeper {
  const families = new Map<string, Map<string, readonly [AccountName, Account]>>();
  return {
    of({ family, credential }) {
      const accounts = families.get(family) ?? new Map<string, readonly [AccountName, Account]>();
      families.set(family, accounts);
      const [, known] = accounts.get(credential) ?? [];
      if (known !== undefined) return known;
      const account = createAccount(() => settingsOf(family, options()));
      accounts.set(credential, [{ family, credential }, account]);
      return account;
    },
    all: () => [...families.values()].flatMap((accounts) => [...accounts.values()]),
  };
}

function settingsOf(family: AccountName["family"], { families, quota }: SimulatorOptions): AccountSettings {
  const defaults = defaultAccountSettings();
  if (family !== "by-dialect")
    return { ...defaults, windows: familyNamed(family).windows, ...families[family] };
  return quota === "unlimited" ? defaults : { ...defaults, windows: quotaWindows(defaults.windows, quota) };
}

/** What the option `quota` says, and plenty of the other unit. */
function quotaWindows(
  plenty: readonly WindowTerms[],
  { unit, windowMs, limit }: Exclude<SimulatorOptions["quota"], "unlimited">,
): readonly WindowTerms[] {
  return plenty.map((terms) =>
    terms.unit === unit
      ? { ...terms, lengthMs: windowMs, limit, enforced: true }
      : { ...terms, lengthMs: windowMs },
  );
}
