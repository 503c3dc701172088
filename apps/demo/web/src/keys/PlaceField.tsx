import { useOrganisations } from "../api/useOrganisations.js";
import { useTeams } from "../api/useTeams.js";
import { Field } from "../ui/Field.js";

/** Whom a key belongs to: a team, an organisation, or nobody. */
export function PlaceField({
  chosen,
  onChoose,
  fault,
}: {
  readonly chosen: string;
  readonly onChoose: (place: string) => void;
  readonly fault?: string | undefined;
}) {
  const { data: teams = [] } = useTeams();
  const { data: organisations = [] } = useOrganisations();
  const hint =
    teams.length + organisations.length === 0
      ? "There are none yet; make some on the page Rate plans."
      : "Limits per minute of a team or an organisation are shared by their keys.";
  return (
    <Field label="Belongs to" hint={hint} fault={fault}>
      <select value={chosen} onChange={({ target }) => onChoose(target.value)}>
        <option value="">No team, no organisation</option>
        <Options label="Teams" of="team" owners={teams} />
        <Options label="Organisations" of="org" owners={organisations} />
      </select>
    </Field>
  );
}

function Options({
  label,
  of,
  owners,
}: {
  readonly label: string;
  readonly of: "team" | "org";
  readonly owners: readonly { readonly id: string; readonly name: string }[];
}) {
  if (owners.length === 0) return null;
  return (
    <optgroup label={label}>
      {owners.map(({ id, name }) => (
        <option key={id} value={`${of}:${id}`} dir="auto">
          {name.slice(0, LONGEST)}
        </option>
      ))}
    </optgroup>
  );
}

/** A list is as wide as its widest option. */
const LONGEST = 60;
