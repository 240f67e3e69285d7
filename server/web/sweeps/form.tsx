/**
 * @module
 * The form of a new sweep. Its values are in the address, so that a sweep can be shared before it is started.
 */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import { answerOf, api } from '../api/client.ts';
import { isOver, once } from '../api/jobs.ts';
import { Equivalent } from '../parts/equivalent.tsx';
import { ErrorNotice, Notice } from '../parts/notice.tsx';
import { count, counted, dayAndTime } from '../parts/numbers.ts';
import { TableHead } from '../parts/table-head.tsx';
import type { QueryProps } from '../shell/router.ts';
import { go, hrefOf, keepInAddress } from '../shell/router.ts';
import { asksForSignIn } from '../shell/sign-in.tsx';
import { useAnswer } from '../shell/use-answer.ts';
import { useAttempt } from '../shell/use-attempt.ts';
import type { Catalogue } from '../threat-models/catalogue-data.ts';
import { loadCatalogue } from '../threat-models/catalogue-data.ts';
import { valueAt } from '../threat-models/draft.ts';
import { AxisFields } from './axis-fields.tsx';
import { useEdited } from './document.ts';
import { firstAxes, membersOf, suggested } from './members.ts';
import type { SweepJob } from './picture-input.ts';
import type { SweepPlan } from './plan.ts';
import { AXES_MAX, cellCount, commandOf, planOf, queryOf, requestOf } from './plan.ts';
import { progressOf } from './progress.ts';

export function SweepForm({ query }: QueryProps) {
  const planned = planOf(query);
  const { value: catalogue, error: failure } = useAnswer(loadCatalogue);
  const edited = useEdited(planned.document);
  const { isBusy, error, submitting } = useAttempt();
  if (catalogue === null) {
    return failure === null ? (
      <p class="loading">Loading the threat models…</p>
    ) : (
      <ErrorNotice error={failure} />
    );
  }
  if (edited === undefined) return <p class="loading">Reading the document…</p>;
  const data = edited ?? catalogue.models.find(({ id }) => id === planned.model);
  const plan =
    planned.axes.length > 0 ? planned : { ...planned, axes: firstAxes(data).slice(0, AXES_MAX) };
  const request = requestOf(plan, edited);
  const submit = submitting(async () => {
    const job = await answerOf(api.POST('/v1/sweeps', { params: once(), body: request }));
    go(['sweeps', job.id]);
  });
  const change = (changes: Partial<SweepPlan>) => {
    keepInAddress(queryOf({ ...plan, ...changes }));
  };
  return (
    <>
      <form class="panel new-sweep" aria-label="A new sweep" onSubmit={submit}>
        <ModelChoice {...{ plan, catalogue, change }} />
        {plan.document !== null && edited === null ? (
          <Notice kind="error">
            The edited document in the address is damaged. The sweep uses that of the catalogue.
          </Notice>
        ) : null}
        <Axes {...{ plan, catalogue, data, change }} />
        <Runs {...{ plan, data, change }} />
        <ErrorNotice error={error.value} />
        <div class="controls start">
          <button class="primary" type="submit" disabled={isBusy.value}>
            Start the sweep
          </button>
          <span role="status">{sizeOf(plan, data)}</span>
        </div>
      </form>
      <SweepList />
      <Equivalent
        command={commandOf(request, edited === null ? plan.model : `${plan.model}.yaml`)}
        request={{ method: 'POST', path: '/v1/sweeps', body: request }}
      />
    </>
  );
}

interface PartProps {
  readonly plan: SweepPlan;
  readonly data: unknown;
  readonly catalogue: Catalogue;
  readonly change: (changes: Partial<SweepPlan>) => void;
}

function ModelChoice({ plan, catalogue: { models }, change }: Omit<PartProps, 'data'>) {
  const choose = (id: string) => {
    const model = models.find((each) => each.id === id);
    const runs = valueAt(model, ['sweep', 'runs']);
    change({
      ...{ model: id, document: null, axes: firstAxes(model).slice(0, AXES_MAX) },
      ...{ work: '', settings: '', runs: runs === undefined ? '' : String(runs) },
    });
  };
  const address = plan.document === null ? {} : { document: plan.document };
  return (
    <div class="controls model">
      <label>
        Threat model
        <select value={plan.model} onChange={(event) => choose(event.currentTarget.value)}>
          {models.some(({ id }) => id === plan.model) ? null : <option>{plan.model}</option>}
          {models.map(({ id, title }) => (
            <option key={id} value={id}>
              {id}: {title}
            </option>
          ))}
        </select>
      </label>
      <a href={hrefOf(['threat-models', plan.model], address)}>
        {plan.document === null ? 'Read the threat model' : 'Read the edited threat model'}
      </a>
    </div>
  );
}

function Axes({ plan: { axes }, data, catalogue: { schema }, change }: PartProps) {
  const members = membersOf(data);
  const free = members.find(({ path }) => axes.every((axis) => axis.path !== path));
  return (
    <>
      {axes.map((axis, index) => (
        <AxisFields
          key={axis.path}
          {...{ axis, schema, number: index + 1 }}
          members={members.filter(
            ({ path }) => path === axis.path || axes.every((each) => each.path !== path),
          )}
          change={(changed) => change({ axes: axes.with(index, changed) })}
          remove={axes.length < 2 ? null : () => change({ axes: axes.toSpliced(index, 1) })}
        />
      ))}
      {axes.length >= AXES_MAX || free === undefined ? null : (
        <p>
          <button
            type="button"
            onClick={() => {
              const added = { path: free.path, values: suggested(free, schema) };
              change({ axes: [...axes, added] });
            }}
          >
            Add an axis
          </button>
        </p>
      )}
    </>
  );
}

function Runs({ plan, data, change }: Omit<PartProps, 'catalogue'>) {
  const text = (name: 'runs' | 'seed') => ({
    value: plan[name],
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
      change({ [name]: currentTarget.value.trim() }),
  });
  return (
    <>
      <div class="controls">
        <label>
          Work
          <select
            value={plan.work}
            onChange={(event) => change({ work: event.currentTarget.value })}
          >
            <option value="">
              that of the document ({String(valueAt(data, ['work']) ?? 'mined')})
            </option>
            <option value="sampled">sampled: identities are drawn, fast</option>
            <option value="mined">mined: keys are made, elections are held</option>
          </select>
        </label>
        <label>
          Runs of each cell
          <input
            size={10}
            inputMode="numeric"
            placeholder={String(runsOf(data))}
            {...text('runs')}
          />
        </label>
        <label>
          Seed
          <input
            size={18}
            inputMode="numeric"
            placeholder="chosen by the server"
            {...text('seed')}
          />
        </label>
        <label>
          Seeds of the cells
          <select
            value={plan.seeds}
            onChange={(event) => change({ seeds: event.currentTarget.value })}
          >
            <option value="">paired: the same for all cells</option>
            <option value="independent">independent</option>
          </select>
        </label>
      </div>
      <label class="settings">
        Other settings, path=value, one in a line
        <textarea
          rows={Math.max(1, plan.settings.split('\n').length)}
          value={plan.settings}
          placeholder="network.honest=16"
          onInput={({ currentTarget }) => change({ settings: currentTarget.value })}
        />
      </label>
    </>
  );
}

/** Runs of each cell if the form has none. */
function runsOf(data: unknown): unknown {
  return valueAt(data, ['sweep', 'runs']) ?? valueAt(data, ['runs']) ?? DEFAULT_RUNS;
}

/** The default of the schema of threat models. */
const DEFAULT_RUNS = 100;

function sizeOf(plan: SweepPlan, data: unknown): string {
  const cells = cellCount(plan);
  if (cells === null) return 'The values of an axis are not complete.';
  const runs = plan.runs === '' ? runsOf(data) : plan.runs;
  const all = Number(runs) * cells;
  const total = Number.isFinite(all) ? `, ${count(all)} runs in total` : '';
  return `${counted(cells, 'cell')} of ${runs} runs${total}`;
}

/** While a sweep is not over, the list is read again after this time. */
const REFRESH_MS = 1_500;

/** The caller's sweeps, the newest first. The list follows those that are not over. */
function SweepList() {
  const sweeps = useSignal<readonly SweepJob[] | null>(null);
  const error = useSignal<unknown>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isCurrent = true;
    const refresh = async () => {
      const read = await readSweeps();
      if (!isCurrent) return;
      sweeps.value = read;
      if (!read.every(isOver)) timer = setTimeout(() => void refresh().catch(fail), REFRESH_MS);
    };
    const fail = (failure: unknown) => {
      if (!asksForSignIn(failure)) error.value = failure;
    };
    refresh().catch(fail);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, []);
  return (
    <section aria-labelledby="your-sweeps">
      <h2 id="your-sweeps">Your sweeps</h2>
      <ErrorNotice error={error.value} />
      {sweeps.value === null ? null : <SweepTable sweeps={sweeps.value} />}
    </section>
  );
}

async function readSweeps(): Promise<readonly SweepJob[]> {
  const query = { pageSize: '100', kind: 'sweep' } as const;
  const { items } = await answerOf(api.GET('/v1/jobs', { params: { query } }));
  return items.filter((job) => job.kind === 'sweep');
}

function SweepTable({ sweeps }: { readonly sweeps: readonly SweepJob[] }) {
  if (sweeps.length === 0) return <p>There are no sweeps yet.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section class="scrolling" aria-label="Your sweeps, the newest first" tabIndex={0}>
      <table>
        <TableHead
          columns={['Sweep', 'Threat model', 'Axes', 'Cells', 'Created', 'Status', 'Progress']}
          numbers={['Cells']}
        />
        <tbody>
          {sweeps.map((job) => (
            <tr key={job.id}>
              <td>
                <a href={hrefOf(['sweeps', job.id])}>{job.id}</a>
              </td>
              <td>{modelName(job)}</td>
              <td>{axesText(job)}</td>
              <td class="number">{count(job.cells)}</td>
              <td>{dayAndTime(job.created)}</td>
              <td>{job.status}</td>
              <td>{isOver(job) ? resultText(job) : progressOf(job, job.progress).note}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function modelName({ request: { threatModel } }: SweepJob): string {
  return typeof threatModel === 'string' ? threatModel : `${threatModel.id} (edited)`;
}

/** The axes by the last members of their paths. */
function axesText({ grid }: SweepJob): string {
  if (grid.length === 0) return 'none';
  return grid.map(({ path, values }) => `${path.split('.').at(-1)} (${values})`).join(' × ');
}

function resultText({ result, problem }: SweepJob): string {
  if (problem !== undefined) return problem.title;
  if (result === undefined) return '';
  return `${counted(result.runs, 'run')}${result.complete ? '' : ', not complete'}`;
}
