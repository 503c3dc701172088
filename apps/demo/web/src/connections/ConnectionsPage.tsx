import { Menu } from "@base-ui/react/menu";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { EVERY_MS } from "../api/createQueries.js";
import { useConnections, type Connection } from "../api/useConnections.js";
import { Button } from "../ui/Button.js";
import { EmptyState } from "../ui/EmptyState.js";
import { ErrorState } from "../ui/ErrorState.js";
import { Page } from "../ui/Page.js";
import { RowMenu, type RowMenuItem } from "../ui/RowMenu.js";
import { ConnectionTable } from "./ConnectionTable.js";
import { CreateConnection } from "./CreateConnection.js";
import { DeleteConnection } from "./DeleteConnection.js";
import { EditConnection } from "./EditConnection.js";

/** The provider accounts behind the gateway. */
export default function ConnectionsPage() {
  const { data: connections, error, refetch } = useConnections(EVERY_MS.usage);
  const queries = useQueryClient();
  const [menu] = useState(() => Menu.createHandle<Connection>());
  const [shown, setShown] = useState<Shown>();
  const close = (): void => setShown(undefined);
  const done = (): void => {
    void queries.invalidateQueries();
    close();
  };
  const itemsOf = (connection: Connection): readonly RowMenuItem[] => [
    { name: "Edit…", onSelect: () => setShown({ what: "edit", connection }) },
    { name: "Delete…", onSelect: () => setShown({ what: "delete", connection }), isDanger: true },
  ];
  const create = (
    <Button look="primary" onClick={() => setShown({ what: "create" })}>
      New connection
    </Button>
  );
  return (
    <Page
      title="Connections"
      about="Each is one account at one provider, with how the gateway reaches it and proves itself to it."
      actions={create}
    >
      {connections === undefined && error !== null && (
        <ErrorState what="The connections" error={error} onRetry={() => void refetch()} />
      )}
      {connections?.length === 0 && (
        <EmptyState title="There is no connection yet" action={create}>
          The gateway has nowhere to send a request. Make a connection to a provider’s account, or to the
          built-in simulator to look around.
        </EmptyState>
      )}
      {connections !== undefined && connections.length > 0 && (
        <ConnectionTable connections={connections} menu={menu} />
      )}
      <RowMenu menu={menu} itemsOf={itemsOf} />
      {shown?.what === "create" && <CreateConnection onClose={close} onMade={done} />}
      {shown?.what === "edit" && <EditConnection connection={shown.connection} onClose={close} />}
      {shown?.what === "delete" && (
        <DeleteConnection connection={shown.connection} onClose={close} onDeleted={done} />
      )}
    </Page>
  );
}

/** The dialog in front of the page. */
type Shown =
  { readonly what: "create" } | { readonly what: "edit" | "delete"; readonly connection: Connection };
