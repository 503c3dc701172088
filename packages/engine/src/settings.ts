/** Anything that JSON can say. */
export type SettingValue =
  string | number | boolean | null | readonly SettingValue[] | { readonly [member: string]: SettingValue };

/** Values by key, such as `quotaStore.driver`. Read from the database each time: not for the path of every request. */
export interface Settings {
  /** @throws {StoreError} when the database cannot be read, or holds something else than JSON there. */
  get(key: string): Promise<SettingValue | undefined>;
  set(key: string, value: SettingValue): Promise<void>;
  /** Sets, or takes away where the value is `undefined`, all of them in one step. */
  change(changes: ReadonlyMap<string, SettingValue | undefined>): Promise<void>;
  /** Takes a setting away; whether there was one. */
  delete(key: string): Promise<boolean>;
  /** Every setting, by key. */
  list(): Promise<ReadonlyMap<string, SettingValue>>;
}
