/**
 * @module
 * One cluster: its state, its actions, and the history of its nodes in the diagram of elections.
 */

import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Spot } from '../elections/diagram/diagram.tsx';
import { groupsOf, marksOf, slotsOf } from '../elections/layout/groups.ts';
import { travellingAt } from '../elections/layout/travel.ts';
import { History } from '../elections/play/history.tsx';
import { Partition, SideToggle } from '../elections/play/partition.tsx';
import type { Player } from '../elections/play/ring.tsx';
import { Ring } from '../elections/play/ring.tsx';
import { useFollowed } from '../elections/session/history.ts';
import type { Choices } from '../elections/session/session.ts';
import { choicesOf } from '../elections/session/session.ts';
import { Copied, curlLine, Equivalent } from '../parts/equivalent.tsx';
import { TextField } from '../parts/fields.tsx';
import { ErrorNotice, Notice } from '../parts/notice.tsx';
import { StepSlider } from '../parts/step-slider.tsx';
import { Verdict } from '../parts/verdict.tsx';
import type { ObjectProps } from '../shell/router.ts';
import { hrefOf, keepInAddress } from '../shell/router.ts';
import {
  actionText,
  checkVerdict,
  ENDING,
  nodeSentence,
  observationText,
  phantomSentences,
  refusedText,
  sidesText,
  stateSentence,
  takeoverText,
} from './cluster-text.ts';
import type { Cluster } from './watch.ts';
import { ClusterWatch } from './watch.ts';

export function ClusterPage({ id, query }: ObjectProps) {
  const watch = useFollowed(id, () => new ClusterWatch(id));
  const cluster = watch.cluster.value;
  const error = watch.error.value;
  if (cluster === null) {
    return (
      <>
        <h1>Cluster</h1>
        {error === null ? <p class="loading">Loading…</p> : <ErrorNotice error={error} />}
      </>
    );
  }
  const { protocol, flags, level, detector, latencyMs, c1, c2, tls, defences } = cluster;
  const facts = [
    ...Object.entries(flags).map(([name, value]) => `${name}=${value}`),
    ...[`level ${level}`, `detector ${detector}`, `latency ${latencyMs} ms`],
    ...[`puzzles of ${c1} and ${c2} bits`, tls ? 'TLS 1.3' : 'plain HTTP'],
    ...defences.map((name) => `defence ${name}`),
  ];
  return (
    <>
      <h1>{protocol}, live</h1>
      <p class="election-facts">
        <code>{id}</code> · {facts.join(' · ')}
      </p>
      {watch.isGone.value ? (
        <Notice kind="warning">
          This cluster is removed. <a href={hrefOf(['clusters'])}>Show the others</a>
        </Notice>
      ) : null}
      <State cluster={cluster} isEnding={watch.isEnding.value} />
      <ErrorNotice error={error} />
      <Board watch={watch} cluster={cluster} choices={choicesOf(query)} />
    </>
  );
}

function State({ cluster, isEnding }: { readonly cluster: Cluster; readonly isEnding: boolean }) {
  const { check, refused, eventsComplete, nodeFaults } = cluster;
  const verdict = check === null ? null : checkVerdict(check);
  return (
    <section class="verdict-panel panel" aria-label="State">
      <p class="state-sentence">{isEnding ? ENDING : stateSentence(cluster)}</p>
      {verdict === null ? null : (
        <p class="cluster-check">
          <Verdict value={verdict.value} word={CHECKED[verdict.value]}>
            {verdict.sentence}
          </Verdict>
        </p>
      )}
      {phantomSentences(cluster).map((sentence) => (
        <Notice key={sentence} kind="warning">
          {sentence}
        </Notice>
      ))}
      <p>{refusedText(refused)}</p>
      {nodeFaults.map(({ node, detail }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: faults have no other identity
        <p key={index}>
          The process of node {node} has ended: {detail}.
        </p>
      ))}
      {eventsComplete ? null : <p>The diagram has the first events only; the check has all.</p>}
    </section>
  );
}

const CHECKED = { true: 'accepted', false: 'refused', unknown: 'unknown' } as const;

interface BoardProps {
  readonly watch: ClusterWatch;
  readonly cluster: Cluster;
  readonly choices: Choices;
}

function Board({ watch, cluster, choices }: BoardProps) {
  const count = watch.count.value;
  const position = Math.min(choices.at ?? count, count);
  const types = watch.timeline.types.length;
  const { nodes } = cluster;
  const isStarting = cluster.status === 'starting';
  const arranged = useMemo(() => {
    const groups = groupsOf(
      nodes.map(({ node }) => node),
      null,
    );
    const hostile = new Set(
      nodes.flatMap((each) => (playerOf(each) === 'honest' ? [] : each.node)),
    );
    return { groups, slots: slotsOf(groups), marks: marksOf(watch.timeline.types), hostile };
  }, [nodes.length, types]);
  const { groups, slots, marks } = arranged;
  const travelling = travellingAt(watch.timeline, position, slots);
  return (
    <>
      <div class="board">
        <Ring
          {...{ groups, side: choices.side, chosen: choices.node, isRing: false }}
          {...{ travelling, marks }}
          states={position < count && !isStarting ? watch.nodesAt(position) : statesNow(cluster)}
          nodes={new Map(nodes.map((each) => [each.node, { player: playerOf(each) }]))}
          onChoose={(node) => keepInAddress({ node: node === choices.node ? null : node })}
        />
        <NodePanel {...{ watch, cluster, chosen: choices.node, side: choices.side }} />
        <div class="panel">
          <ClusterActions watch={watch} cluster={cluster} />
          <ActionLog cluster={cluster} />
        </div>
      </div>
      <h2>Space-time diagram</h2>
      <section class="time-controls" aria-label="Time">
        <StepSlider name="Event" {...{ count, position }} show={(at) => showAt(at, count)} />
        <button type="button" disabled={position === count} onClick={() => showAt(count, count)}>
          Newest
        </button>
      </section>
      <History
        {...{ watch, arranged, choices, position, called: 'of the adversary' }}
        isChecked={cluster.level !== 'L0'}
        onPick={(spot) => pick(spot, watch, count)}
      />
      <Equivalent command={null} request={{ method: 'GET', path: cluster.links.self }} />
      <aside class="equivalent" aria-label="The trace with vector clocks">
        <Copied name="trace" text={curlLine({ method: 'GET', path: cluster.links.trace })} />
      </aside>
    </>
  );
}

/** All events are shown and followed again at the newest. */
function showAt(at: number, count: number): void {
  keepInAddress({ at: at >= count ? null : at });
}

function pick(spot: Spot, { timeline }: ClusterWatch, count: number): void {
  if (spot.type === 'event') showAt(spot.seq + 1, count);
  else keepInAddress({ message: timeline.message(spot.message).id });
}

/** The nodes as the server has them now, by number. */
function statesNow({ nodes }: Cluster) {
  const states = [];
  for (const { node, status, leader } of nodes) {
    states[node] = {
      isUp: status !== 'down' && status !== 'removed',
      isPaused: status === 'paused',
      follows: leader ?? 0,
    };
  }
  return states;
}

function playerOf({ behaviours, adversary }: Cluster['nodes'][number]): Player {
  if (adversary) return 'adversary';
  return behaviours.length > 0 ? 'byzantine' : 'honest';
}

interface ActionsProps {
  readonly watch: ClusterWatch;
  readonly cluster: Cluster;
}

/** The actions on a cluster as a whole, and the list of the last actions. */
function ClusterActions({ watch, cluster }: ActionsProps) {
  const isBusy = watch.isBusy.value;
  const attempts = useSignal('10000');
  const { status, agreement, takeover } = cluster;
  const isEnding = watch.isEnding.value || status === 'ending';
  const isOpen = status === 'running' && !isEnding;
  return (
    <section aria-labelledby="cluster-actions">
      <h2 id="cluster-actions">Cluster</h2>
      <div class="controls">
        <button
          type="button"
          disabled={isBusy || !isOpen}
          onClick={() => void watch.act({ type: 'join' })}
        >
          Let a node join
        </button>
        <button
          type="button"
          class="primary"
          disabled={isBusy || status === 'ending' || watch.isGone.value}
          onClick={() => void watch.end()}
        >
          {status === 'over' ? 'Remove it' : isEnding ? 'Checking…' : 'End and check'}
        </button>
      </div>
      {isOpen ? (
        <form
          class="controls"
          onSubmit={(event) => {
            event.preventDefault();
            const budget = { attempts: attempts.value };
            void watch.act({ type: 'attack', budget, behaviours: [] });
          }}
        >
          <TextField
            {...{ label: 'Keys that an adversary tests', size: 9, value: attempts.value }}
            set={(text) => {
              attempts.value = text;
            }}
          />
          <button type="submit" disabled={isBusy || agreement === null}>
            Attack the leader
          </button>
        </form>
      ) : null}
      {takeover === null ? null : <TakeoverReport takeover={takeover} />}
    </section>
  );
}

function TakeoverReport({ takeover }: { readonly takeover: NonNullable<Cluster['takeover']> }) {
  const { observations } = takeover;
  return (
    <>
      <p class="takeover">{takeoverText(takeover)}</p>
      {observations.length === 0 ? null : (
        <details>
          <summary>What honest nodes noticed, after the first hash</summary>
          <ol class="cluster-log">
            {observations.map((each) => (
              <li key={`${each.node} ${each.what}`}>{observationText(each)}</li>
            ))}
          </ol>
        </details>
      )}
    </>
  );
}

/** The last actions, the newest first. */
function ActionLog({ cluster: { actions } }: Pick<ActionsProps, 'cluster'>) {
  if (actions.length === 0) return null;
  const shown = actions.toReversed().slice(0, SHOWN_MAX);
  return (
    <ul class="cluster-log" aria-label="Actions">
      {actions.length > SHOWN_MAX ? <li>The last {SHOWN_MAX} actions:</li> : null}
      {shown.map((action) => (
        <li key={action.number}>{actionText(action)}</li>
      ))}
    </ul>
  );
}

const SHOWN_MAX = 8;

interface NodePanelProps {
  readonly watch: ClusterWatch;
  readonly cluster: Cluster;
  readonly chosen: number | null;
  readonly side: readonly number[];
}

/** The chosen node of a cluster: its state, the actions on its process, and partitions. */
function NodePanel(props: NodePanelProps) {
  const { watch, chosen, side } = props;
  const { nodes, sides, status } = props.cluster;
  const node = nodes.find((each) => each.node === chosen);
  const isOpen = status === 'running' && !watch.isEnding.value;
  return (
    <section class="node-panel panel" aria-labelledby="node-title">
      <h2 id="node-title">{node === undefined ? 'Nodes' : `Node ${node.node}`}</h2>
      {node === undefined ? (
        <p class="hint">Choose a node in the picture.</p>
      ) : (
        <>
          <p class="node-facts">{nodeSentence(node)}</p>
          {isOpen ? <NodeActions {...{ ...props, node }} /> : null}
        </>
      )}
      {isOpen ? (
        <Partition
          nodes={nodes.map((each) => each.node)}
          side={side}
          hint={
            sides.length > 0
              ? `The sides are ${sidesText(sides)}.`
              : 'Choose nodes and “Separate it”.'
          }
          canHeal={sides.length > 0}
          onSeparate={(apart) => watch.act({ type: 'partition', sides: [[...apart]] })}
          onHeal={() => void watch.act({ type: 'heal' })}
        />
      ) : null}
    </section>
  );
}

type NodeActionsProps = NodePanelProps & { readonly node: Cluster['nodes'][number] };

function NodeActions({ watch, node: { node, status }, side }: NodeActionsProps) {
  if (status === 'removed') return null;
  const act = (title: string, action: Parameters<typeof watch.act>[0]) => (
    <button type="button" disabled={watch.isBusy.value} onClick={() => void watch.act(action)}>
      {title}
    </button>
  );
  return (
    <div class="controls">
      {status === 'down' ? (
        <>
          {act('Start', { type: 'start', node, amnesia: false })}
          {act('Start with amnesia', { type: 'start', node, amnesia: true })}
        </>
      ) : (
        act('Kill', { type: 'kill', node })
      )}
      {status === 'up' ? act('Pause', { type: 'pause', node }) : null}
      {status === 'paused' ? act('Resume', { type: 'resume', node }) : null}
      <SideToggle node={node} side={side} />
    </div>
  );
}
