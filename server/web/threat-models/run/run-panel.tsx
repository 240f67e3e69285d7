/**
 * @module
 * This folder contains the run of a threat model and its report. This file runs the document as it is, with progress, and shows the verdict. The job is in the address.
 */

import { workPicture } from '../../../../src/experiment/charts/work-chart.ts';
import { spendText, workTable } from '../../../../src/operations/figures.ts';
import { answerOf, api } from '../../api/client.ts';
import type { Schema } from '../../api/contract.ts';
import type { FollowedJob } from '../../api/jobs.ts';
import { cancelJob, isOver, once, useJob } from '../../api/jobs.ts';
import { TableView } from '../../operations/report.tsx';
import { Equivalent } from '../../parts/equivalent.tsx';
import { ErrorNotice, Notice } from '../../parts/notice.tsx';
import { count, counted } from '../../parts/numbers.ts';
import { Picture } from '../../parts/picture.tsx';
import { Progress } from '../../parts/progress.tsx';
import { Scrolling } from '../../parts/scrolling.tsx';
import { TableHead } from '../../parts/table-head.tsx';
import { Verdict } from '../../parts/verdict.tsx';
import { keepInAddress } from '../../shell/router.ts';
import { useAttempt } from '../../shell/use-attempt.ts';
import { faultsOfServer, percent } from '../catalogue-data.ts';
import { isRecord } from '../form/form-schema.ts';
import { Extremes } from './extremes.tsx';
import type { RunJob, RunReport } from './run-elections.ts';

interface RunPanelProps {
  readonly id: string;
  /** What is run: an id of the catalogue, or the data of the edited document. */
  readonly document: unknown;
  readonly data: unknown;
  readonly isEdited: boolean;
  readonly isRefused: boolean;
  readonly runsByDefault: number;
  readonly query: Readonly<Record<string, string>>;
}

type RunRequest = Schema<'RunRequest'>;

export function RunPanel(props: RunPanelProps) {
  const { id, document, data, isEdited, isRefused, query } = props;
  const { error, attempt } = useAttempt();
  const followed = useJob(query.job ?? null);
  const job = followed.value.job?.kind === 'run' ? followed.value.job : null;
  const isRunning = query.job !== undefined && job !== null && !isOver(job);
  const request = requestOf(props);
  const run = () =>
    attempt(async () => {
      if (isEdited && (await faultsOfServer(document)).length > 0) return;
      const made = await answerOf(api.POST('/v1/runs', { params: once(), body: request }));
      keepInAddress({ job: made.id, extremes: null });
    });
  return (
    <section class="run panel" aria-label="Run">
      <Settings {...props} />
      <div class="controls">
        <button type="button" class="primary" disabled={isRefused || isRunning} onClick={run}>
          {isEdited ? 'Run the edited model' : 'Run the model'}
        </button>
        {isRunning ? (
          <button type="button" onClick={() => void cancelJob(job.id)}>
            Cancel
          </button>
        ) : null}
        {isRefused ? <span>Correct the document first. The faults are shown below.</span> : null}
      </div>
      <ErrorNotice error={error.value ?? followed.value.error} />
      <RunState followed={followed.value} job={job} />
      {job?.result === undefined ? null : (
        <>
          {isOfOther(job, request) ? (
            <Notice kind="info">The document or its settings have changed since this run.</Notice>
          ) : null}
          <Result report={job.result} />
          <Extremes {...{ id, data, query }} report={job.result} />
        </>
      )}
      <Equivalent
        command={commandOf(id, request, isEdited)}
        request={{ method: 'POST', path: '/v1/runs', body: request }}
      />
    </section>
  );
}

function Settings({ query, runsByDefault, data }: RunPanelProps) {
  const own = isRecord(data) && data.runs !== undefined ? String(data.runs) : runsByDefault;
  const set = (name: string) => ({
    value: query[name] ?? '',
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
      keepInAddress({ [name]: currentTarget.value.trim() });
    },
  });
  return (
    <div class="controls">
      <label>
        Runs
        <input {...set('runs')} inputMode="numeric" size={10} placeholder={`${own}`} />
      </label>
      <label>
        Seed
        <input {...set('seed')} inputMode="numeric" size={16} placeholder="chosen by the server" />
      </label>
    </div>
  );
}

function RunState({ followed, job }: { followed: FollowedJob; job: RunJob | null }) {
  if (job === null) return null;
  const { status, problem } = job;
  if (status === 'failed' || status === 'interrupted') {
    return <Notice kind="error">{problem?.detail ?? `The run is ${status}.`}</Notice>;
  }
  if (status === 'cancelled') return <Notice kind="info">The run was cancelled.</Notice>;
  if (isOver(job)) return null;
  const { done, total } = countOf(followed.progress) ?? job.progress;
  const note =
    status === 'queued'
      ? 'waits for its turn'
      : `${count(done)} of ${total === null ? '?' : count(total)} runs`;
  return <Progress label="Runs" {...{ done, total, note }} />;
}

/** The events of a run count its runs. */
function countOf(progress: FollowedJob['progress']): RunJob['progress'] | null {
  if (progress == null || !('done' in progress) || !('total' in progress)) return null;
  // Only jobs that count have both.
  return progress as RunJob['progress'];
}

function requestOf({ document, query: { runs, seed } }: RunPanelProps): RunRequest {
  const threatModel = isRecord(document) ? { ...document } : String(document);
  return {
    threatModel,
    ...(runs === undefined ? {} : { runs: Number(runs) }),
    ...(seed === undefined ? {} : { seed }),
  };
}

/** Whether a job ran something else than the request would. */
function isOfOther({ request }: RunJob, now: RunRequest): boolean {
  const isSameModel = JSON.stringify(request.threatModel) === JSON.stringify(now.threatModel);
  const isSameSeed = now.seed === undefined || now.seed === request.seed;
  return !isSameModel || !isSameSeed || (now.runs !== undefined && now.runs !== request.runs);
}

function commandOf(id: string, { runs, seed }: RunRequest, isEdited: boolean): readonly string[] {
  return [
    ...['run', isEdited ? `${id}.yaml` : id],
    ...(runs === undefined ? [] : ['--runs', String(runs)]),
    ...(seed === undefined ? [] : ['--seed', String(seed)]),
  ];
}

const NUMBERS = ['Runs', 'Measured', 'Interval', 'Theory'];

/**
 * The report of a run: the verdict as a sentence, measurement against theory, and what was spent.
 */
function Result({ report }: { readonly report: RunReport }) {
  const { verdict, results } = report;
  return (
    <div class="result">
      <p class="sentence" role="status">
        <Verdict value={verdict.value} word={`${verdict.value.toUpperCase()}:`}>
          {verdict.sentence.replace(/^(?:True|False|Unknown): /, '')}
        </Verdict>
      </p>
      <IntervalChart report={report} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <div class="scrolling" tabIndex={0}>
        <table>
          <caption>Measured, and the closed form beside it</caption>
          <TableHead
            columns={['Protocols', 'Verdict', ...NUMBERS, 'Closed form']}
            numbers={NUMBERS}
          />
          <tbody>
            {results.map((result) => (
              <ResultRow key={result.protocols.join(' ')} result={result} />
            ))}
          </tbody>
        </table>
      </div>
      <Observations report={report} />
      <Work report={report} />
      <Responses report={report} />
    </div>
  );
}

function ResultRow({ result }: { readonly result: RunReport['results'][number] }) {
  const { protocols, verdict, measured, theory } = result;
  const { runs, wins, frequency, interval } = measured;
  return (
    <tr>
      <td>{protocols.length === 0 ? 'no election' : protocols.join(', ')}</td>
      <td>
        <Verdict value={verdict.value} />
      </td>
      <td class="number">
        {count(wins)} of {count(runs)}
      </td>
      <td class="number">{percent(frequency)}</td>
      <td class="number">
        {interval === null ? 'every run is the same' : interval.map(percent).join(' to ')}
      </td>
      <td class="number">{theory.probability === null ? '–' : percent(theory.probability)}</td>
      <td>{theory.formula}</td>
    </tr>
  );
}

function Observations({ report: { results } }: { readonly report: RunReport }) {
  const observed = results.filter(({ observations }) => observations !== undefined);
  if (observed.length === 0) return null;
  return (
    <dl class="observations">
      {observed.map(({ protocols, observations }) => (
        <div key={protocols.join(' ')}>
          <dt>This run{protocols.length === 0 ? '' : ` with ${protocols.join(', ')}`}</dt>
          <dd>
            {Object.entries(observations ?? {})
              .map(([name, value]) => `${name} ${Number(value.toPrecision(4))}`)
              .join(', ')}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Work of honest nodes beside that of the adversary, by epoch. */
function Work({ report }: { readonly report: RunReport }) {
  const { threatModel, workByEpoch: rows, spendRates, replay } = report;
  if (rows === undefined || spendRates === undefined) return null;
  return (
    <>
      <Scrolling label="Chart">
        <Picture
          svg={workPicture({ title: threatModel, rows, replay })}
          label="Work so far of honest nodes and of the adversary"
        />
      </Scrolling>
      <TableView {...workTable(rows)} />
      <p>Spend rates: {spendText(spendRates)}.</p>
    </>
  );
}

function Responses({ report }: { readonly report: RunReport }) {
  const { response, elections, replay } = report;
  return (
    <dl class="prose">
      {response.map(({ adversary, protocols, count, where, behaviours, reason }) => (
        <div key={`${adversary} ${protocols.join(' ')}`}>
          <dt>Response of {adversary}</dt>
          <dd>
            It forges {forged(count)}
            {count === 'none' ? '' : `, ${where}`}, and{' '}
            {behaviours.length === 0 ? 'follows the protocol' : `uses ${behaviours.join(', ')}`}.{' '}
            {reason}
          </dd>
        </div>
      ))}
      <div>
        <dt>Elections</dt>
        <dd>
          {count(elections.held)} held, {counted(elections.messages, 'message')}
        </dd>
      </div>
      <div>
        <dt>The same report</dt>
        <dd>
          <code>{replay}</code>
        </dd>
      </div>
    </dl>
  );
}

function forged(count: string): string {
  if (count === 'none') return 'no identity';
  return count === 'one' ? 'one identity' : `${count} identities`;
}

const WIDTH = 640;
const ROW = 34;
const LEFT = 26;
const TOP = 12;
/** So that no name stands on the line of 0 %. */
const NAME_GAP = 5;
const TICKS = [0, 0.25, 0.5, 0.75, 1];

/**
 * Measurement against theory: for each protocol the frequency as a dot, its interval as a bar and the closed
 * form as a diamond, on an axis of probabilities. The table beside it has the numbers.
 */
function IntervalChart({ report: { results, verdict } }: { readonly report: RunReport }) {
  const drawn = results.filter(({ measured }) => measured.runs > 0);
  if (drawn.length === 0) return null;
  const bottom = TOP + ROW * drawn.length;
  const at = (share: number) => LEFT + share * (WIDTH - 2 * LEFT);
  return (
    <figure class="intervals">
      <svg
        viewBox={`0 0 ${WIDTH} ${bottom + 28}`}
        role="img"
        aria-label={`Measured frequencies and closed forms. ${verdict.reason}`}
      >
        {TICKS.map((tick) => (
          <g key={tick} class="tick">
            <line x1={at(tick)} x2={at(tick)} y1={TOP - 6} y2={bottom} />
            <text x={at(tick)} y={bottom + 18}>
              {percent(tick)}
            </text>
          </g>
        ))}
        {drawn.map((result, row) => (
          <Row
            key={result.protocols.join(' ')}
            result={result}
            y={TOP + ROW * (row + 0.6)}
            at={at}
          />
        ))}
      </svg>
      <figcaption>
        <span aria-hidden="true">● </span>measured, with its interval
        {drawn.some(({ theory }) => theory.probability !== null) ? (
          <>
            {' · '}
            <span aria-hidden="true">◇ </span>closed form
          </>
        ) : null}
      </figcaption>
    </figure>
  );
}

interface RowProps {
  readonly result: RunReport['results'][number];
  readonly y: number;
  readonly at: (share: number) => number;
}

function Row({ result: { protocols, measured, theory }, y, at }: RowProps) {
  const { frequency, interval } = measured;
  const [low = frequency, high = frequency] = interval ?? [];
  const { probability } = theory;
  return (
    <g class="row">
      <text class="name" x={LEFT + NAME_GAP} y={y - 9}>
        {protocols.join(', ')}
      </text>
      <line class="interval" x1={at(low)} x2={at(high)} y1={y} y2={y} />
      <circle cx={at(frequency)} cy={y} r={5} />
      {probability === null ? null : (
        <path class="theory" d={`M${at(probability)} ${y - 8}l8 8l-8 8l-8-8z`} />
      )}
    </g>
  );
}
