/**
 * @module
 * The form that creates an election. What it contains is in the address.
 */

import { useMemo } from 'preact/hooks';
import { capitalized } from '../../../../src/printable.ts';

import { answerOf, api } from '../../api/client.ts';
import type { Schema } from '../../api/contract.ts';
import { once } from '../../api/jobs.ts';
import { Equivalent } from '../../parts/equivalent.tsx';
import { ChoiceField, TextField } from '../../parts/fields.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import type { QueryProps } from '../../shell/router.ts';
import { go, keepInAddress } from '../../shell/router.ts';
import { useAnswer } from '../../shell/use-answer.ts';
import { useAttempt } from '../../shell/use-attempt.ts';
import { ElectionList } from '../list.tsx';
import type { ByzantineRow, Draft } from './request.ts';
import { commandOf, draftOf, draftToQuery, FAULTS, randomSeed, requestOf } from './request.ts';

export function CreateForm({ query }: QueryProps) {
  const seed = useMemo(randomSeed, []);
  const { value: catalogue, error: failure } = useAnswer(readCatalogue);
  const { isBusy, error, submitting } = useAttempt();
  const draft = draftOf(query, seed);
  const change = (changes: Partial<Draft>) => keepInAddress(draftToQuery({ ...draft, ...changes }));
  const submit = submitting(async () => {
    const body = requestOf(draft);
    const election = await answerOf(api.POST('/v1/elections', { params: once(), body }));
    go(['elections', election.id]);
  });
  if (failure !== null) return <ErrorNotice error={failure} />;
  if (catalogue === null) return <p class="loading">Loading…</p>;
  const fields = { draft, catalogue, change };
  return (
    <>
      <form class="create panel" onSubmit={submit}>
        <ScenarioChoice {...fields} />
        {draft.scenario === '' ? (
          <>
            <MainFields {...fields} />
            <AttackFields {...fields} />
            <FaultFields {...fields} />
          </>
        ) : (
          <ScenarioFields {...fields} />
        )}
        <ErrorNotice error={error.value} />
        <button class="primary" type="submit" disabled={isBusy.value}>
          Create the election
        </button>
      </form>
      <h2>Elections of this server</h2>
      <ElectionList />
      <Equivalent
        command={commandOf(draft)}
        request={{ method: 'POST', path: '/v1/elections', body: requestOf(draft) }}
      />
    </>
  );
}

/** The choice of a scenario, or of none. */
function ScenarioChoice({ draft, catalogue, change }: FieldsProps) {
  const choose = (name: string) => {
    const usual = catalogue.scenarios.find((each) => each.name === name)?.nodes.usual;
    change({ scenario: name, run: '', ...(usual === undefined ? {} : { nodes: String(usual) }) });
  };
  return (
    <div class="controls">
      <ChoiceField
        label="Scenario"
        value={draft.scenario}
        options={[
          ['', 'none: choose everything below'],
          ...catalogue.scenarios.map(({ name, title }) => [name, `${name}: ${title}`] as const),
        ]}
        set={choose}
      />
    </div>
  );
}

/** The fields that a scenario leaves open, and its explanation. */
function ScenarioFields(props: FieldsProps) {
  const { draft, catalogue, change } = props;
  const scenario = catalogue.scenarios.find(({ name }) => name === draft.scenario);
  if (scenario === undefined) return <p class="hint">The server has no such scenario.</p>;
  const { runs, nodes, explanation, expected, source } = scenario;
  return (
    <>
      <div class="controls">
        {runs.length === 1 ? null : (
          <ChoiceField
            label="Run"
            value={draft.run === '' ? (runs[0] ?? '') : draft.run}
            options={runs}
            set={(run) => change({ run })}
          />
        )}
        <MemberText
          label={`Nodes, ${nodes.min} to ${nodes.max}`}
          size={5}
          name="nodes"
          {...{ props }}
        />
        <MemberText label="Seed" size={9} name="seed" {...{ props }} />
      </div>
      <dl class="scenario-facts">
        <dt>Expected with {nodes.usual} nodes</dt>
        <dd>{expected}</dd>
        <dt>Why</dt>
        <dd>{explanation}</dd>
        <dt>Source</dt>
        <dd>{source}</dd>
      </dl>
    </>
  );
}

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

/** The fields that every election has: the protocol, the nodes, the network and the seed. */
function MainFields(props: FieldsProps) {
  const { draft, catalogue, change } = props;
  const protocol = catalogue.protocols.find(({ name }) => name === draft.protocol);
  return (
    <>
      <div class="controls">
        <ProtocolField {...props} />
        <MemberText name="nodes" label="Nodes" size={5} props={props} />
        <ChoiceField
          label="Messages are checked"
          value={draft.level}
          options={LEVELS}
          set={(level) => change({ level })}
        />
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

/** The fields about attacks: Byzantine nodes, defences, and what an ID costs. */
function AttackFields(props: FieldsProps) {
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
          <TextField label="Rank" size={4} value={row.rank} set={(rank) => set(index, { rank })} />
          <ChoiceField
            label="Behaviour"
            value={row.behaviour}
            options={fitting.map(({ name }) => name)}
            set={(behaviour) => set(index, { behaviour })}
          />
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

/** The fields about faults that occur without an action, and about the numbers of the protocol. */
function FaultFields(props: FieldsProps) {
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
          <TextField
            key={name}
            label={capitalized(name)}
            size={14}
            placeholder={EXAMPLES[name] ?? ''}
            value={draft.faults[name] ?? ''}
            set={(text) => setFault(name, text)}
          />
        ))}
        {Object.entries(protocol?.flags ?? {}).map(([name, values]) => (
          <ChoiceField
            key={name}
            label={name}
            value={draft.flags[name] ?? ''}
            options={[['', 'default'], ...values]}
            set={(text) => setFlag(name, text)}
          />
        ))}
        {protocol?.numbers.map((number) => (
          <TextField
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

/** What each group of fields receives. */
interface FieldsProps {
  readonly draft: Draft;
  readonly catalogue: Catalogue;
  readonly change: (changes: Partial<Draft>) => void;
}

type TextMember = {
  [Name in keyof Draft]: Draft[Name] extends string ? Name : never;
}[keyof Draft];

interface MemberTextProps {
  readonly label: string;
  readonly size: number;
  readonly placeholder?: string;
  readonly name: TextMember;
  readonly props: FieldsProps;
}

/** A field with a text of the draft. */
function MemberText({ name, props: { draft, change }, ...rest }: MemberTextProps) {
  return <TextField {...rest} value={draft[name]} set={(text) => change({ [name]: text })} />;
}

/** What an election can be made of, as the server lists it. */
interface Catalogue {
  readonly protocols: readonly Schema<'Protocol'>[];
  readonly defences: readonly Schema<'Defence'>[];
  readonly detectors: readonly Schema<'Detector'>[];
  readonly behaviours: readonly Schema<'Behaviour'>[];
  readonly scenarios: readonly Schema<'Scenario'>[];
}

/** Reads the lists. */
async function readCatalogue(): Promise<Catalogue> {
  const params = { query: { pageSize: '100' } };
  const [protocols, defences, detectors, behaviours, scenarios] = await Promise.all([
    answerOf(api.GET('/v1/protocols', { params })),
    answerOf(api.GET('/v1/defences', { params })),
    answerOf(api.GET('/v1/detectors', { params })),
    answerOf(api.GET('/v1/behaviours', { params })),
    answerOf(api.GET('/v1/scenarios', { params })),
  ]);
  return {
    protocols: protocols.items,
    defences: defences.items,
    detectors: detectors.items,
    behaviours: behaviours.items,
    scenarios: scenarios.items,
  };
}
