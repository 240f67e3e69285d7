/**
 * @module
 * This folder contains the view of threat models: the catalogue, and one model that is edited as form and as YAML
 * and run.
 */

import './threat-models.css';

import { answerOf, api } from '../api/client.ts';
import { HERE } from '../api/lab-thread.ts';
import { Equivalent } from '../parts/equivalent.tsx';
import { ErrorNotice, Notice } from '../parts/notice.tsx';
import { unbroken } from '../parts/numbers.ts';
import { Verdict } from '../parts/verdict.tsx';
import { hrefOf, keepInAddress } from '../shell/router.ts';
import { useAnswer } from '../shell/use-answer.ts';
import type { ViewProps } from '../shell/views.ts';
import type { ThreatModel } from './catalogue-data.ts';
import { loadCatalogue, questionOf } from './catalogue-data.ts';
import { ModelPage } from './model-page.tsx';
import type { RunJob, RunReport } from './run/run-elections.ts';

export function View({ segments: [id], query }: ViewProps) {
  const { value: catalogue, error } = useAnswer(loadCatalogue);
  if (catalogue === null) {
    return (
      <>
        <h1>Threat models</h1>
        <ErrorNotice error={error} />
        {error === null ? <p class="loading">Loading the catalogue…</p> : null}
      </>
    );
  }
  const { models, schema } = catalogue;
  if (id === undefined) return <CatalogueList models={models} query={query} />;
  const model = models.find((each) => each.id === id);
  if (model !== undefined) {
    return <ModelPage key={id} model={model} schema={schema} query={query} />;
  }
  return (
    <>
      <h1>Threat models</h1>
      <Notice kind="error">
        The catalogue has no model of this name.{' '}
        <a href={hrefOf(['threat-models'])}>Show the catalogue.</a>
      </Notice>
    </>
  );
}

interface CatalogueListProps {
  readonly models: readonly ThreatModel[];
  readonly query: Readonly<Record<string, string>>;
}

/** The list of the catalogue with its search. The words of the search are in the address. */
function CatalogueList({ models, query: { search = '' } }: CatalogueListProps) {
  const found = models.filter((model) => matches(model, search));
  const { value: lastRuns } = useAnswer(loadLastRuns);
  return (
    <div class="threat-models">
      <h1>Threat models</h1>
      <p>
        A threat model states who attacks, with what budget, and what must hold. It can be run. The
        answer is true, false or unknown.
      </p>
      <div class="controls">
        <label>
          Search
          <input
            type="search"
            value={search}
            placeholder="for example lease"
            onInput={({ currentTarget }) => keepInAddress({ search: currentTarget.value })}
          />
        </label>
        <p class="found" role="status">
          {found.length === models.length
            ? `${models.length} models`
            : `${found.length} of ${models.length} models`}
        </p>
      </div>
      {found.length === 0 ? <p>No model contains all of these words.</p> : null}
      <ul class="model-list">
        {found.map((model) => (
          <li key={model.id}>
            <ModelEntry model={model} lastRun={lastRuns?.get(model.id) ?? null} />
          </li>
        ))}
      </ul>
      <Equivalent
        command={['run', '--list']}
        request={{ method: 'GET', path: '/v1/threat-models?pageSize=100' }}
      />
    </div>
  );
}

interface EntryProps {
  readonly model: ThreatModel;
  readonly lastRun: LastRun | null;
}

function ModelEntry({ model, lastRun }: EntryProps) {
  const { id, title, wants } = model;
  return (
    <article>
      <h2>
        <a href={hrefOf(['threat-models', id])}>{title}</a>
      </h2>
      <p class="question">{questionOf(model)}</p>
      <p>
        <strong>The adversary wants:</strong> {unbroken(wants)}
      </p>
      <p class="facts">
        <code>{id}</code>
      </p>
      <p class="last-run">
        {lastRun === null ? (
          `Not run ${HERE} yet.`
        ) : (
          <>
            <Verdict value={lastRun.verdict.value} word={lastRun.verdict.value.toUpperCase()} />
            <a href={hrefOf(['threat-models', id], { job: lastRun.job })}>The last run {HERE}</a>
          </>
        )}
      </p>
    </article>
  );
}

/** Whether the model contains each word of the search. */
function matches(model: ThreatModel, search: string): boolean {
  const { id, title, assumes, can, cannot, wants, outcome, expect, network } = model;
  const { protocols = [], defences = [] } = network.election ?? {};
  const texts = [id, title, assumes, can, cannot, wants, outcome, expect.property];
  const text = [...texts, ...protocols, ...defences].join(' ').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** The last run of a model of the catalogue as it is there. */
interface LastRun {
  readonly job: string;
  readonly verdict: RunReport['verdict'];
}

/** The newest run of each model that has a result. Edited models and those with settings do not count. */
async function loadLastRuns(): Promise<ReadonlyMap<string, LastRun>> {
  const query = { kind: 'run' as const, pageSize: '100' };
  const { items } = await answerOf(api.GET('/v1/jobs', { params: { query } }));
  return lastRunsOf(items.filter((job) => job.kind === 'run'));
}

/** The same of jobs, the newest first. */
function lastRunsOf(
  jobs: readonly Pick<RunJob, 'id' | 'status' | 'request' | 'result'>[],
): ReadonlyMap<string, LastRun> {
  const found = new Map<string, LastRun>();
  for (const { id, status, request, result } of jobs) {
    const { threatModel, set = [] } = request;
    const isPlain = typeof threatModel === 'string' && Object.keys(set).length === 0;
    if (!isPlain || status !== 'done' || result === undefined || found.has(threatModel)) continue;
    found.set(threatModel, { job: id, verdict: result.verdict });
  }
  return found;
}
