import { Menu } from "@base-ui/react/menu";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useKeys, type ApiKey } from "../api/useKeys.js";
import { useOrganisations } from "../api/useOrganisations.js";
import { useTeams } from "../api/useTeams.js";
import { EditKey } from "../keys/EditKey.js";
import { Button } from "../ui/Button.js";
import { Countdown } from "../ui/Countdown.js";
import { EmptyState } from "../ui/EmptyState.js";
import { ErrorState } from "../ui/ErrorState.js";
import { Page } from "../ui/Page.js";
import { RowMenu, type RowMenuItem } from "../ui/RowMenu.js";
import { CreateOwner } from "./CreateOwner.js";
import { DeleteOwner } from "./DeleteOwner.js";
import { EditOwner } from "./EditOwner.js";
import type { Owner } from "./ownerFields.js";
import { RatesLegend } from "./RatesLegend.js";
import { RateTree } from "./RateTree.js";
import { useRates, type RateNode } from "./useRates.js";
import styles from "./rates.module.css";

/** Limits per minute: whose they are, what of them is used, kept and left, and how they change. */
export default function RatesPage() {
  const { data: rates, error, refetch, dataUpdatedAt } = useRates();
  const { data: keys } = useKeys();
  const { data: teams } = useTeams();
  const { data: organisations } = useOrganisations();
  const queries = useQueryClient();
  const [menu] = useState(() => Menu.createHandle<RateNode>());
  const [shown, setShown] = useState<Shown>();
  const close = (): void => setShown(undefined);
  const done = (): void => {
    void queries.invalidateQueries();
    close();
  };
  const edit = ({ kind, id }: RateNode): void => {
    const apiKey = keys?.find((key) => key.id === id);
    const owner = (kind === "team" ? teams : organisations)?.find((one) => one.id === id);
    if (kind === "key") return apiKey && setShown({ what: "key", apiKey });
    if (owner !== undefined) setShown({ what: "edit", kind, owner });
  };
  const itemsOf = (node: RateNode): readonly RowMenuItem[] => {
    const { kind, id } = node;
    const editing = { name: kind === "key" ? "Edit or move…" : "Edit…", onSelect: () => edit(node) };
    if (kind === "key") return [editing];
    const deleting = {
      name: "Delete…",
      onSelect: () => setShown({ what: "delete", kind, id }),
      isDanger: true,
    };
    const team = {
      name: "New team in it…",
      onSelect: () => setShown({ what: "create", kind: "team", orgId: id }),
    };
    return kind === "team" ? [editing, deleting] : [editing, team, deleting];
  };
  const create = (
    <>
      <Button onClick={() => setShown({ what: "create", kind: "team" })}>New team</Button>
      <Button look="primary" onClick={() => setShown({ what: "create", kind: "organisation" })}>
        New organisation
      </Button>
    </>
  );
  return (
    <Page
      title="Rate plans"
      about="How much an organisation, a team or a key may ask for in a minute. What a limited key or team has not used is kept for it, whatever the others do."
      actions={create}
    >
      {rates === undefined && error !== null && (
        <ErrorState what="The rate plan" error={error} onRetry={() => void refetch()} />
      )}
      {rates?.nodes.length === 0 && (
        <EmptyState title="Nobody is limited yet" action={create}>
          There are no keys, teams and organisations. Make keys on the page Keys; make a team or an
          organisation here to put several of them under one limit.
        </EmptyState>
      )}
      {rates !== undefined && rates.nodes.length > 0 && (
        <>
          <p className={styles.turns}>
            The minute turns in <Countdown to={rates.resetsAt} ahead={rates.generatedAt - dataUpdatedAt} />;
            then all of it is free again.
          </p>
          <RateTree rates={rates} menu={menu} />
          <RatesLegend />
        </>
      )}
      <RowMenu menu={menu} itemsOf={itemsOf} />
      {shown?.what === "create" && <CreateOwner {...shown} onClose={close} onMade={done} />}
      {shown?.what === "edit" && <EditOwner {...shown} onClose={close} />}
      {shown?.what === "delete" && <DeleteOwner {...shown} onClose={close} onDeleted={done} />}
      {shown?.what === "key" && <EditKey apiKey={shown.apiKey} onClose={close} />}
    </Page>
  );
}

/** The dialog in front of the page. */
type Shown =
  | { readonly what: "create"; readonly kind: "organisation" | "team"; readonly orgId?: string }
  | { readonly what: "edit"; readonly kind: "organisation" | "team"; readonly owner: Owner }
  | { readonly what: "delete"; readonly kind: "organisation" | "team"; readonly id: string }
  | { readonly what: "key"; readonly apiKey: ApiKey };
