/**
 * @module
 * The node that is chosen: what it is, and what can be done to it. Also partitions, since they are made of nodes.
 */

import { keepInAddress } from '../../shell/router.ts';
import type { Group } from '../layout/groups.ts';
import type { Session } from '../session/session.ts';
import { cutBetween } from '../session/session.ts';
import type { ElectionNode } from '../session/watch.ts';
import { Partition, SideToggle } from './partition.tsx';

interface NodePanelProps {
  readonly session: Session;
  readonly nodes: readonly ElectionNode[];
  readonly groups: readonly Group[];
  readonly behaviours: ReadonlyMap<number, readonly string[]>;
  readonly chosen: number | null;
  readonly side: readonly number[];
}

const PLAYERS: Readonly<Record<ElectionNode['player'], string>> = {
  honest: 'It follows the protocol.',
  byzantine: 'It is Byzantine.',
  outside: 'A person or a program outside plays it.',
};

export function NodePanel(props: NodePanelProps) {
  const { session, nodes, groups, chosen, side } = props;
  const all = nodes.map(({ rank }) => rank);
  const node = nodes.find(({ rank }) => rank === chosen);
  const group = groups.find(({ ranks }) => chosen !== null && ranks.includes(chosen));
  return (
    <section class="node-panel panel" aria-labelledby="node-title">
      <h2 id="node-title">{node === undefined ? 'Nodes' : `Node ${node.rank}`}</h2>
      {group !== undefined && group.ranks.length > 1 ? (
        <ul class="members" aria-label={`Nodes ${group.label}`}>
          {group.ranks.map((rank) => (
            <li key={rank}>
              <button
                type="button"
                aria-pressed={rank === chosen}
                onClick={() => keepInAddress({ node: rank })}
              >
                {rank}
              </button>
            </li>
          ))}
        </ul>
      ) : null}
      {node === undefined ? (
        <p class="hint">
          Choose a node in the picture{' '}
          {session.watch.isWhole ? 'to act on it' : 'to read what it is'}.
        </p>
      ) : (
        <ChosenNode {...props} node={node} />
      )}
      {session.watch.isWhole ? (
        <Partition
          {...{ nodes: all, side, canHeal: true }}
          hint="Choose nodes and “Separate it”, or cut the lower half of the ranks from the upper."
          onSeparate={(apart) => session.act({ type: 'partition', cut: cutBetween(apart, all) })}
          onHeal={() => void session.act({ type: 'heal' })}
        >
          <button
            type="button"
            onClick={() => void session.act({ type: 'partition', cut: 'halves' })}
          >
            Cut in halves
          </button>
        </Partition>
      ) : null}
    </section>
  );
}

type ChosenProps = NodePanelProps & { readonly node: ElectionNode };

function ChosenNode(props: ChosenProps) {
  const { session, node, behaviours } = props;
  const { rank, up, player, follows, participant } = node;
  const names = behaviours.get(rank) ?? [];
  return (
    <>
      <p class="node-facts">
        {up ? 'Up.' : 'Down.'} {PLAYERS[player]}
        {names.length === 0 ? null : ` Behaviours: ${names.join(', ')}.`}
        {participant === null ? null : ` Its player is ${participant}.`}{' '}
        {follows === null ? 'It follows no leader.' : leaderText(rank, follows)}
        {refusedText(node)}
      </p>
      <p class="node-id">
        ID <code>{node.nodeId}</code>
      </p>
      {session.watch.isWhole ? <NodeActions {...props} /> : null}
    </>
  );
}

function NodeActions({ session, node: { rank, up }, side }: ChosenProps) {
  return (
    <div class="controls">
      {up ? (
        <button type="button" onClick={() => void session.act({ type: 'crash', rank })}>
          Crash
        </button>
      ) : (
        <button type="button" onClick={() => void session.act({ type: 'recover', rank })}>
          Recover
        </button>
      )}
      <button
        type="button"
        disabled={!up}
        onClick={() => void session.act({ type: 'start', nodes: [rank] })}
      >
        Start
      </button>
      <button type="button" onClick={() => void session.act({ type: 'suspect', rank })}>
        Suspect it
      </button>
      <SideToggle node={rank} side={side} />
    </div>
  );
}

function leaderText(rank: number, follows: number): string {
  return follows === rank ? 'It leads.' : `It follows node ${follows}.`;
}

function refusedText({ refused }: ElectionNode): string {
  if (refused === null) return '';
  const counts = Object.entries(refused).filter(([, count]) => count > 0);
  if (counts.length === 0) return ' It has refused no message.';
  return ` It has refused messages: ${counts.map(([reason, count]) => `${count} by ${reason}`).join(', ')}.`;
}
