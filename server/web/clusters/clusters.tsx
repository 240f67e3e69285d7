/**
 * @module
 * This folder contains the view of live nodes: the list of clusters with the form that starts one, and the view of one
 * cluster.
 */

import { ChoiceField, TextField } from '../parts/fields.tsx';
import '../elections/elections.css';
import './clusters.css';

import { answerOf, api } from '../api/client.ts';
import type { Schema } from '../api/contract.ts';
import { once } from '../api/jobs.ts';
import { Equivalent } from '../parts/equivalent.tsx';
import { ErrorNotice } from '../parts/notice.tsx';
import { TableHead } from '../parts/table-head.tsx';
import { go, hrefOf, keepInAddress } from '../shell/router.ts';
import { useAnswer } from '../shell/use-answer.ts';
import { useAttempt } from '../shell/use-attempt.ts';
import type { ViewProps } from '../shell/views.ts';
import { ClusterPage } from './cluster-page.tsx';
import { agreementText } from './cluster-text.ts';

export function View({ segments, query }: ViewProps) {
  const [id] = segments;
  if (id !== undefined) return <ClusterPage key={id} id={id} query={query} />;
  return (
    <>
      <h1>Live nodes</h1>
      <p>
        Each node is a process on the machine of the server. The nodes speak HTTP with each other on
        the real clock. At the end the model of the protocol repeats every step of theirs.
      </p>
      <h2>Start a cluster</h2>
      <StartForm query={query} />
      <h2>Clusters of this server</h2>
      <ClusterList />
    </>
  );
}

function StartForm({ query }: { readonly query: ViewProps['query'] }) {
  const { isBusy, error, submitting } = useAttempt();
  const { value: protocols } = useAnswer(() =>
    answerOf(api.GET('/v1/protocols', { params: { query: { pageSize: '100' } } })),
  );
  const draft = draftOf(query);
  const submit = submitting(async () => {
    const body = requestOf(draft);
    const { id } = await answerOf(api.POST('/v1/clusters', { params: once(), body }));
    go(['clusters', id]);
  });
  const names = protocols?.items.flatMap(({ name, messages }) => (messages.length > 0 ? name : []));
  const field = (name: keyof Draft, label: string) => ({
    name,
    label,
    value: draft[name],
    set: (value: string) => keepInAddress({ [name]: value }),
  });
  return (
    <>
      <form class="panel" onSubmit={submit}>
        <div class="controls">
          <ChoiceField {...field('protocol', 'Protocol')} options={names ?? []} />
          <TextField {...field('nodes', 'Nodes')} size={4} />
          <ChoiceField {...field('level', 'Level of checks')} options={LEVELS} />
          <TextField {...field('latency', 'Latency')} size={7} />
          <TextField {...field('c1', 'Static puzzle, bits')} size={4} />
          <button class="primary" type="submit" disabled={isBusy.value}>
            Start the cluster
          </button>
        </div>
        <ErrorNotice error={error.value} />
      </form>
      <Equivalent
        command={commandOf(draft)}
        request={{ method: 'POST', path: '/v1/clusters', body: requestOf(draft) }}
      />
    </>
  );
}

function ClusterList() {
  const { value, error } = useAnswer(() =>
    answerOf(api.GET('/v1/clusters', { params: { query: { pageSize: '100' } } })),
  );
  if (value === null) return <ErrorNotice error={error} />;
  if (value.items.length === 0) return <p class="hint">There is no cluster. Start the first.</p>;
  return (
    <div class="scrolling">
      <table>
        <TableHead columns={['Cluster', 'Protocol', 'State', 'Agreement']} />
        <tbody>
          {value.items.map(({ id, protocol, status, agreement }) => (
            <tr key={id}>
              <td>
                <a class="mono" href={hrefOf(['clusters', id])}>
                  {id}
                </a>
              </td>
              <td>{protocol}</td>
              <td>{status}</td>
              <td>{agreementText(agreement)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/**
 * The content of the form that starts a cluster, as the address of the page has it, and the request and the
 * command that it stands for.
 */
const LEVELS = ['L0', 'L2', 'L3'] as const;

const DEFAULTS = { protocol: 'bully-oneshot', nodes: '3', level: 'L3', latency: '50ms', c1: '0' };

type Draft = Readonly<typeof DEFAULTS>;

function draftOf(query: Readonly<Record<string, string>>): Draft {
  const { protocol, nodes, level, latency, c1 } = { ...DEFAULTS, ...query };
  return { protocol, nodes, level, latency, c1 };
}

/** The server refuses what is wrong. */
function requestOf({ nodes, c1, ...draft }: Draft): Schema<'ClusterRequest'> {
  const bits = c1 === DEFAULTS.c1 ? {} : { c1: numberOrText(c1) };
  // The server checks the names.
  return { ...draft, nodes: numberOrText(nodes), ...bits } as Schema<'ClusterRequest'>;
}

function commandOf({ protocol, nodes, level, latency, c1 }: Draft): readonly string[] {
  const named = ['--protocol', protocol, '--nodes', nodes, '--latency', latency];
  const checked = level === DEFAULTS.level ? [] : ['--level', level];
  const earned = c1 === DEFAULTS.c1 ? [] : ['--c1', c1];
  return ['cluster', 'up', ...named, ...checked, ...earned];
}

function numberOrText(text: string): number | string {
  return /^\d{1,9}$/.test(text) ? Number(text) : text;
}
