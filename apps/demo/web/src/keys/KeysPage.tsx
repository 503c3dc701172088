import { Menu } from "@base-ui/react/menu";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { request } from "../api/request.js";
import { useKeys, type ApiKey } from "../api/useKeys.js";
import { Button } from "../ui/Button.js";
import { EmptyState } from "../ui/EmptyState.js";
import { ErrorState } from "../ui/ErrorState.js";
import { FormFault } from "../ui/FormFault.js";
import { Page } from "../ui/Page.js";
import { RowMenu, type RowMenuItem } from "../ui/RowMenu.js";
import { CreateKey } from "./CreateKey.js";
import { DeleteKey } from "./DeleteKey.js";
import { EditKey } from "./EditKey.js";
import { KeyTable } from "./KeyTable.js";
import { RotateKey } from "./RotateKey.js";
import { SecretModal, type ShownSecret } from "./SecretModal.js";

/** Who may use the gateway: their keys, made, placed, rotated, disabled and deleted. */
export default function KeysPage() {
  const { data: keys, error, refetch } = useKeys();
  const queries = useQueryClient();
  const [menu] = useState(() => Menu.createHandle<ApiKey>());
  const [shown, setShown] = useState<Shown>();
  const close = (): void => setShown(undefined);
  // A key shows in pools, rates and totals as well.
  const refresh = (): void => void queries.invalidateQueries();
  const showSecret = (made: ShownSecret): void => {
    refresh();
    setShown({ what: "secret", made });
  };
  const done = (): void => {
    refresh();
    close();
  };
  const switching = useMutation({
    mutationFn: ({ id, disabled }: ApiKey) =>
      request(`/api/keys/${encodeURIComponent(id)}/${disabled ? "enable" : "disable"}`, { method: "POST" }),
    onSettled: refresh,
  });
  const itemsOf = (apiKey: ApiKey): readonly RowMenuItem[] => [
    { name: "Edit…", onSelect: () => setShown({ what: "edit", apiKey }) },
    { name: "Rotate secret…", onSelect: () => setShown({ what: "rotate", apiKey }) },
    { name: apiKey.disabled ? "Enable" : "Disable", onSelect: () => switching.mutate(apiKey) },
    { name: "Delete…", onSelect: () => setShown({ what: "delete", apiKey }), isDanger: true },
  ];
  const create = (
    <Button look="primary" onClick={() => setShown({ what: "create" })}>
      New key
    </Button>
  );
  return (
    <Page
      title="Keys"
      about="Each person or program that uses the gateway has a key. What a key may use of an account is in its pools."
      actions={create}
    >
      {keys === undefined && error !== null && (
        <ErrorState what="The keys" error={error} onRetry={() => void refetch()} />
      )}
      {keys?.length === 0 && (
        <EmptyState title="There are no keys yet" action={create}>
          Nobody can use the gateway without one. Make the first, and give its secret to whoever will use it.
        </EmptyState>
      )}
      <FormFault error={switching.error} />
      {keys !== undefined && keys.length > 0 && <KeyTable keys={keys} menu={menu} />}
      <RowMenu menu={menu} itemsOf={itemsOf} />
      {shown?.what === "create" && <CreateKey onClose={close} onMade={showSecret} />}
      {shown?.what === "edit" && <EditKey apiKey={shown.apiKey} onClose={close} />}
      {shown?.what === "rotate" && <RotateKey apiKey={shown.apiKey} onClose={close} onMade={showSecret} />}
      {shown?.what === "delete" && <DeleteKey apiKey={shown.apiKey} onClose={close} onDeleted={done} />}
      {shown?.what === "secret" && <SecretModal made={shown.made} onClose={close} />}
    </Page>
  );
}

/** The dialog in front of the page. */
type Shown =
  | { readonly what: "create" }
  | { readonly what: "edit" | "rotate" | "delete"; readonly apiKey: ApiKey }
  | { readonly what: "secret"; readonly made: ShownSecret };
