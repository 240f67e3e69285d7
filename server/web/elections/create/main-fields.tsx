/**
 * @module
 * The fields that every election has: the protocol, the nodes, the network and the seed.
 */

import type { FieldsProps } from './fields.tsx';
import { MemberText } from './fields.tsx';
import { randomSeed } from './request.ts';

const LEVELS = [
  ['', 'not checked'],
  ['L0', 'L0: only their form'],
  ['L1', 'L1: true senders'],
  ['L2', 'L2: signatures'],
  ['L3', 'L3: fresh signatures'],
] as const;

const FAMILIES = [
  ['bully', 'Bully'],
  ['ring', 'Ring'],
  ['quorum', 'Quorum'],
  ['lease', 'Lease'],
] as const;

export function MainFields(props: FieldsProps) {
  const { draft, catalogue, change } = props;
  const protocol = catalogue.protocols.find(({ name }) => name === draft.protocol);
  return (
    <>
      <div class="controls">
        <ProtocolField {...props} />
        <MemberText name="nodes" label="Nodes" size={5} props={props} />
        <label>
          Messages are checked
          <select
            value={draft.level}
            onChange={(event) => change({ level: event.currentTarget.value })}
          >
            {LEVELS.map(([level, title]) => (
              <option key={level} value={level}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <MemberText name="latency" label="Latency, ticks" size={12} props={props} />
        <MemberText name="seed" label="Seed" size={9} props={props} />
        <button type="button" onClick={() => change({ seed: randomSeed() })}>
          Another seed
        </button>
      </div>
      {protocol === undefined ? null : <p class="hint">Assumptions: {protocol.assumes}</p>}
      <Conditions {...props} />
    </>
  );
}

function ProtocolField({ draft, catalogue, change }: FieldsProps) {
  return (
    <label>
      Protocol
      <select
        value={draft.protocol}
        onChange={(event) =>
          change({
            protocol: event.currentTarget.value,
            flags: {},
            defences: [],
            byzantine: [],
          })
        }
      >
        {FAMILIES.map(([family, title]) => (
          <optgroup key={family} label={title}>
            {catalogue.protocols
              .filter((each) => each.family === family)
              .map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
          </optgroup>
        ))}
      </select>
    </label>
  );
}

function Conditions({ draft, catalogue, change }: FieldsProps) {
  return (
    <div class="controls">
      <label>
        Failure detector
        <input
          list="detectors"
          size={24}
          value={draft.detector}
          onChange={(event) => change({ detector: event.currentTarget.value })}
        />
      </label>
      <datalist id="detectors">
        {['crashes', 'links', ...catalogue.detectors.map(({ name }) => name)].map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <label class="inline">
        <input
          type="checkbox"
          checked={draft.isFifo}
          onChange={(event) => change({ isFifo: event.currentTarget.checked })}
        />
        Messages of a link arrive in order
      </label>
      <label class="inline">
        <input
          type="checkbox"
          checked={draft.sameTick === 'timers-first'}
          onChange={(event) =>
            change({ sameTick: event.currentTarget.checked ? 'timers-first' : 'messages-first' })
          }
        />
        Timers of a tick fire before its messages arrive (sameTick: timers-first)
      </label>
    </div>
  );
}
