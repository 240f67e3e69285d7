/**
 * @module
 * The fields about faults that occur without an action, and about the numbers of the protocol.
 */

import type { FieldsProps } from './fields.tsx';
import { MemberText, Text } from './fields.tsx';
import { FAULTS } from './request.ts';

const EXAMPLES: Readonly<Record<string, string>> = {
  restart: '5@80',
  pause: '2@10-60',
  partition: 'halves@100-300',
  loss: '5%',
  duplicate: '10%',
  reorder: '10%:20',
  blackout: '100-300',
  slowdown: '10@100-300',
  skew: '3:1.5',
  churn: '30@0-500',
};

export function FaultFields(props: FieldsProps) {
  const { draft, catalogue, change } = props;
  const protocol = catalogue.protocols.find(({ name }) => name === draft.protocol);
  const setFault = (name: string, text: string) =>
    change({ faults: withText(draft.faults, name, text) });
  const setFlag = (name: string, text: string) =>
    change({ flags: withText(draft.flags, name, text) });
  const isUsed = draft.crash !== '' || Object.keys({ ...draft.faults, ...draft.flags }).length > 0;
  return (
    <details class="more" open={isUsed}>
      <summary>Faults and settings of the protocol</summary>
      <div class="fields">
        <MemberText
          {...{ name: 'crash', label: 'Crash', size: 14, placeholder: '5@20 or highest', props }}
        />
        {FAULTS.map((name) => (
          <Text
            key={name}
            label={name.charAt(0).toUpperCase() + name.slice(1)}
            size={14}
            placeholder={EXAMPLES[name] ?? ''}
            value={draft.faults[name] ?? ''}
            set={(text) => setFault(name, text)}
          />
        ))}
        {Object.entries(protocol?.flags ?? {}).map(([name, values]) => (
          <label key={name}>
            {name}
            <select
              value={draft.flags[name] ?? ''}
              onChange={(event) => setFlag(name, event.currentTarget.value)}
            >
              <option value="">default</option>
              {values.map((value) => (
                <option key={value}>{value}</option>
              ))}
            </select>
          </label>
        ))}
        {protocol?.numbers.map((number) => (
          <Text
            key={number.name}
            label={`${number.name} (${number.meaning})`}
            size={8}
            placeholder={String(number.default)}
            value={draft.flags[number.name] ?? ''}
            set={(text) => setFlag(number.name, text)}
          />
        ))}
      </div>
    </details>
  );
}

/** Texts by name, without those that are empty. */
function withText(texts: Readonly<Record<string, string>>, name: string, text: string) {
  const { [name]: _, ...others } = texts;
  return text === '' ? others : { ...others, [name]: text };
}
