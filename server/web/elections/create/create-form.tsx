/**
 * @module
 * The form that creates an election. Its fields are those of the operation `elect`, and what a simulation of a command
 * does not have: scenarios, Byzantine nodes and the price of an ID. What it contains is in the address.
 */

import { useMemo } from 'preact/hooks';
import { valueEntered } from '../../../../src/operations/command-words.ts';
import { answerOf, api } from '../../api/client.ts';
import type { Schema } from '../../api/contract.ts';
import { once } from '../../api/jobs.ts';
import { HERE } from '../../api/lab-thread.ts';
import type { Operation } from '../../operations/draft.ts';
import { membersOf } from '../../operations/draft.ts';
import { Field } from '../../operations/field.tsx';
import { faultOf } from '../../operations/operations.tsx';
import { Equivalent } from '../../parts/equivalent.tsx';
import { ChoiceField, TextField } from '../../parts/fields.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import type { QueryProps } from '../../shell/router.ts';
import { go, keepInAddress } from '../../shell/router.ts';
import { useAnswer } from '../../shell/use-answer.ts';
import { useAttempt } from '../../shell/use-attempt.ts';
import { ElectionList } from '../list.tsx';
import {
  askedHere,
  byzantineIn,
  commandOf,
  FAULTS,
  randomSeed,
  readElect,
  requestOf,
  STATED,
} from './request.ts';

export function CreateForm({ query: given }: QueryProps) {
  const seed = useMemo(randomSeed, []);
  const { value: catalogue, error: failure } = useAnswer(readCatalogue);
  const { isBusy, error, submitting } = useAttempt();
  if (failure !== null) return <ErrorNotice error={failure} />;
  if (catalogue === null) return <p class="loading">Loading…</p>;
  const query: QueryProps['query'] = { ...USUAL, seed, ...given };
  const asked = askedHere(catalogue.elect, fittingTo(query, catalogue.defences));
  const body = requestOf(asked, query);
  const submit = submitting(async () => {
    const election = await answerOf(api.POST('/v1/elections', { params: once(), body }));
    go(['elections', election.id]);
  });
  const parts = { asked, query, catalogue, error: error.value };
  return (
    <>
      <form class="create panel" onSubmit={submit} onChange={forgetUnsupported}>
        <ScenarioChoice {...parts} />
        {query.scenario ? <ScenarioFields {...parts} /> : <StatedFields {...parts} />}
        <ErrorNotice error={error.value} />
        <div class="controls">
          <button class="primary" type="submit" disabled={isBusy.value}>
            Create the election
          </button>
          <button type="button" onClick={() => keepInAddress({ seed: randomSeed() })}>
            Another seed
          </button>
        </div>
      </form>
      <h2>Elections {HERE}</h2>
      <ElectionList />
      <Equivalent
        command={commandOf(asked, query)}
        request={{ method: 'POST', path: '/v1/elections', body }}
      />
    </>
  );
}

/** Another protocol has other variants, defences and behaviours. */
function forgetUnsupported({ target }: Event): void {
  if (target instanceof HTMLSelectElement && target.name === 'protocol') {
    keepInAddress({ flags: null, defences: null, byzantine: null });
  }
}

/** The names of what has an effect on the protocol of the form. */
function fittingTo(
  { protocol }: QueryProps['query'],
  all: readonly Schema<'Behaviour' | 'Defence'>[],
) {
  return all.filter(({ fits }) => fits.some((each) => each === protocol)).map(({ name }) => name);
}

const USUAL = { protocol: 'bully-oneshot', nodes: '5' } as const;

/** The choice of a scenario, or of none. */
function ScenarioChoice({ query, catalogue: { scenarios } }: PartProps) {
  const choose = (scenario: string) => {
    const nodes = scenarios.find(({ name }) => name === scenario)?.nodes.usual ?? query.nodes;
    keepInAddress({ scenario, run: null, nodes });
  };
  return (
    <div class="controls">
      <ChoiceField
        label="Scenario"
        value={query.scenario ?? ''}
        options={[
          ['', 'none: choose everything below'],
          ...scenarios.map(({ name, title }) => [name, `${name}: ${title}`] as const),
        ]}
        set={choose}
      />
    </div>
  );
}

/** The fields that a scenario leaves open, and its explanation. */
function ScenarioFields({ query, catalogue }: PartProps) {
  const scenario = catalogue.scenarios.find(({ name }) => name === query.scenario);
  if (scenario === undefined) return <p class="hint">The server has no such scenario.</p>;
  const { runs, nodes, explanation, expected, source } = scenario;
  return (
    <>
      <div class="controls">
        {runs.length === 1 ? null : (
          <ChoiceField
            label="Run"
            value={query.run ?? runs[0] ?? ''}
            options={runs}
            set={(run) => keepInAddress({ run })}
          />
        )}
        <OwnText {...{ query, name: 'nodes', label: `Nodes, ${nodes.min} to ${nodes.max}` }} />
        <OwnText {...{ query, name: 'seed', label: 'Seed' }} />
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

function StatedFields(props: PartProps) {
  const { query, catalogue } = props;
  const { byzantine, defences, flags } = query;
  const protocol = catalogue.protocols.find(({ name }) => name === query.protocol);
  return (
    <>
      <Members names={STATED} {...props} />
      {protocol === undefined ? null : <p class="hint">Assumptions: {protocol.assumes}</p>}
      <details class="more" open={Boolean(byzantine || defences)}>
        <summary>Byzantine nodes, defences and the price of an ID</summary>
        <Byzantine {...props} />
        <Members names={['defences']} {...props} />
        <div class="controls">
          {PRICES.map(([name, label]) => (
            <OwnText key={name} {...{ query, name, label, placeholder: '0' }} />
          ))}
        </div>
      </details>
      <details class="more" open={['crash', 'flags', ...FAULTS].some((name) => query[name])}>
        <summary>Faults and settings of the protocol</summary>
        <Members names={['crash', ...FAULTS]} {...props} />
        <Variants protocol={protocol} settings={settingsIn(flags)} />
      </details>
    </>
  );
}

const PRICES = [
  ['c1', 'Bits of the static puzzle'],
  ['c2', 'Bits of the dynamic puzzle'],
  ['newcomers', 'Room for newcomers'],
] as const;

/** The fields of these members of the operation. */
function Members({
  names,
  asked,
  query,
  error,
}: PartProps & { readonly names: readonly string[] }) {
  const members = membersOf(asked);
  return (
    <div class="fields">
      {names.flatMap((each) => {
        const member = members.find(({ name }) => name === each);
        const pointer = FAULTS.includes(each) ? `network/${each}` : each;
        return member === undefined
          ? []
          : [<Field key={each} {...{ member, query, fault: faultOf(error, pointer) }} />];
      })}
    </div>
  );
}

function Byzantine({ query, catalogue: { behaviours } }: PartProps) {
  const fitting = fittingTo(query, behaviours);
  const [first] = fitting;
  if (first === undefined) return <p class="hint">No behaviour has an effect on this protocol.</p>;
  const rows = byzantineIn(query);
  const keep = (changed: typeof rows) =>
    keepInAddress({ byzantine: changed.map((row) => row.join('=')).join() });
  return (
    <fieldset>
      <legend>Byzantine nodes</legend>
      {rows.map(([rank, behaviour], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity
        <div class="controls" key={index}>
          <TextField
            {...{ label: 'Rank', size: 4, value: rank }}
            set={(text) => keep(rows.with(index, [text.replaceAll(/\D/g, ''), behaviour]))}
          />
          <ChoiceField
            {...{ label: 'Behaviour', value: behaviour, options: fitting }}
            set={(name) => keep(rows.with(index, [rank, name]))}
          />
          <button type="button" onClick={() => keep(rows.toSpliced(index, 1))}>
            Remove
          </button>
          <p class="hint wide">{behaviours.find(({ name }) => name === behaviour)?.summary}</p>
        </div>
      ))}
      <button type="button" onClick={() => keep([...rows, [query.nodes ?? '', first]])}>
        Add a Byzantine node
      </button>
    </fieldset>
  );
}

interface VariantsProps {
  readonly protocol: Schema<'Protocol'> | undefined;
  readonly settings: Readonly<Record<string, string>>;
}

/** The variants and numbers of the protocol, each as a field. */
function Variants({ protocol, settings }: VariantsProps) {
  const keep = (name: string) => (text: string) => {
    const all = Object.entries({ ...settings, [name]: text }).filter(([, value]) => value !== '');
    keepInAddress({ flags: all.map((pair) => pair.join('=')).join() });
  };
  return (
    <div class="fields">
      {Object.entries(protocol?.flags ?? {}).map(([name, values]) => (
        <ChoiceField
          key={name}
          {...{ label: name, value: settings[name] ?? '', set: keep(name) }}
          options={[['', 'default'], ...values]}
        />
      ))}
      {protocol?.numbers.map(({ name, meaning, default: usual }) => (
        <TextField
          key={name}
          {...{ label: `${name} (${meaning})`, size: 8, placeholder: String(usual) }}
          {...{ value: settings[name] ?? '', set: keep(name) }}
        />
      ))}
    </div>
  );
}

/** Settings by name. None in a text that states none. */
function settingsIn(flags = ''): Readonly<Record<string, string>> {
  const value = valueEntered({ as: 'settings' }, flags);
  return typeof value === 'object' ? { ...value } : {};
}

interface OwnTextProps extends QueryProps {
  readonly name: string;
  readonly label: string;
  readonly placeholder?: string;
}

/** A field that the operation does not have. */
function OwnText({ name, query, ...rest }: OwnTextProps) {
  const keep = (text: string) => keepInAddress({ [name]: text.trim() });
  return <TextField {...{ ...rest, size: 9, value: query[name] ?? '', set: keep }} />;
}

/** What each group of fields receives. */
interface PartProps extends QueryProps {
  readonly asked: Operation;
  readonly catalogue: Awaited<ReturnType<typeof readCatalogue>>;
  readonly error: unknown;
}

/** What an election can be made of, as the server lists it. */
async function readCatalogue() {
  const params = { query: { pageSize: '100' } };
  const [elect, protocols, defences, behaviours, scenarios] = await Promise.all([
    readElect(),
    answerOf(api.GET('/v1/protocols', { params })),
    answerOf(api.GET('/v1/defences', { params })),
    answerOf(api.GET('/v1/behaviours', { params })),
    answerOf(api.GET('/v1/scenarios', { params })),
  ]);
  return {
    elect,
    protocols: protocols.items,
    defences: defences.items,
    behaviours: behaviours.items,
    scenarios: scenarios.items,
  };
}
