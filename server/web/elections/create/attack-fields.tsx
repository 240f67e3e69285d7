/**
 * @module
 * The fields about attacks: Byzantine nodes, defences, and what an ID costs.
 */

import type { FieldsProps } from './fields.tsx';
import { MemberText, Text } from './fields.tsx';
import type { ByzantineRow } from './request.ts';

export function AttackFields(props: FieldsProps) {
  const { draft } = props;
  const small = { props, size: 4, placeholder: '0' };
  return (
    <details class="more" open={draft.byzantine.length + draft.defences.length > 0}>
      <summary>Byzantine nodes, defences and the price of an ID</summary>
      <Byzantine {...props} />
      <Defences {...props} />
      <div class="controls">
        <MemberText name="c1" label="Bits of the static puzzle" {...small} />
        <MemberText name="c2" label="Bits of the dynamic puzzle" {...small} />
        <MemberText name="newcomers" label="Room for newcomers" {...small} />
      </div>
    </details>
  );
}

function Byzantine({ draft, catalogue, change }: FieldsProps) {
  const fitting = catalogue.behaviours.filter(({ fits }) =>
    fits.some((each) => each === draft.protocol),
  );
  const [first] = fitting;
  if (first === undefined) return <p class="hint">No behaviour has an effect on this protocol.</p>;
  const set = (index: number, changes: Partial<ByzantineRow>) =>
    change({
      byzantine: draft.byzantine.map((row, slot) =>
        slot === index ? { ...row, ...changes } : row,
      ),
    });
  const add = () =>
    change({ byzantine: [...draft.byzantine, { rank: draft.nodes, behaviour: first.name }] });
  return (
    <fieldset>
      <legend>Byzantine nodes</legend>
      {draft.byzantine.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity
        <div class="controls" key={index}>
          <Text label="Rank" size={4} value={row.rank} set={(rank) => set(index, { rank })} />
          <label>
            Behaviour
            <select
              value={row.behaviour}
              onChange={(event) => set(index, { behaviour: event.currentTarget.value })}
            >
              {fitting.map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
          <button
            type="button"
            onClick={() =>
              change({ byzantine: draft.byzantine.filter((_, slot) => slot !== index) })
            }
          >
            Remove
          </button>
          <p class="hint wide">{fitting.find(({ name }) => name === row.behaviour)?.summary}</p>
        </div>
      ))}
      <button type="button" onClick={add}>
        Add a Byzantine node
      </button>
    </fieldset>
  );
}

function Defences({ draft, catalogue, change }: FieldsProps) {
  const fitting = catalogue.defences.filter(({ fits }) =>
    fits.some((each) => each === draft.protocol),
  );
  if (fitting.length === 0) return null;
  const toggle = (name: string, isOn: boolean) =>
    change({
      defences: isOn ? [...draft.defences, name] : draft.defences.filter((each) => each !== name),
    });
  return (
    <fieldset>
      <legend>Defences</legend>
      <ul class="defences">
        {fitting.map(({ name, summary, needsLevel }) => (
          <li key={name}>
            <label class="inline">
              <input
                type="checkbox"
                checked={draft.defences.includes(name)}
                onChange={(event) => toggle(name, event.currentTarget.checked)}
              />
              <span>
                <strong>{name}</strong>
                {needsLevel === null ? '' : `, from ${needsLevel}`}: {summary}
              </span>
            </label>
          </li>
        ))}
      </ul>
    </fieldset>
  );
}
