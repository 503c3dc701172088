import type { Awaitable } from "@quota/engine";

/** Settings that hold a password, by name. They are kept apart from the others, where no copy of the database shows them. */
export interface SecretSettings {
  read(name: string): Awaitable<string | undefined>;
  write(name: string, text: string): Awaitable<void>;
  delete(name: string): Awaitable<void>;
}
