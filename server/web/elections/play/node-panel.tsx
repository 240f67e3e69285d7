/**
 * @module
 * The node that is chosen: what it is, and what can be done to it. Also partitions, since they are made of nodes.
 */

import { useSignal } from '@preact/signals';
import { contentText, sealText } from '../../../../src/simulation/report/sentences.ts';
import type { Election } from '../../api/contract.ts';
import { TextField } from '../../parts/fields.tsx';

import { keepInAddress } from '../../shell/router.ts';
import type { Group, TypeMark } from '../layout/groups.ts';
import type { Session } from '../session/session.ts';
import { cutBetween } from '../session/session.ts';
import type { ElectionNode, MessageInFlight } from '../session/watch.ts';
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

interface MessagesProps {
  readonly session: Session;
  readonly flights: readonly MessageInFlight[];
  /** `flights` may have only the first of its messages in flight. */
  readonly election: Pick<Election, 'inFlight' | 'status'>;
  readonly chosen: number | null;
  readonly marks: readonly TypeMark[];
}

const LISTED_MAX = 60;

/** What comes next when no message is in flight. */
const NEXT: Readonly<Record<Election['status'], string>> = {
  created: 'The nodes have not been started.',
  active: 'A step may send some.',
  idle: 'The election is at rest.',
};

/**
 * The messages in flight, and what can be done with the one that is chosen: deliver, drop, delay or copy it.
 */
export function MessagePanel({ session, flights, election, chosen, marks }: MessagesProps) {
  const flight = flights.find(({ id }) => id === chosen);
  const lettersOf = new Map(marks.map(({ type, letters, series }) => [type, { letters, series }]));
  return (
    <section class="messages panel" aria-labelledby="messages-title">
      <h2 id="messages-title">Messages in flight: {election.inFlight}</h2>
      {session.watch.isWhole ? null : (
        <p class="hint">
          You see the messages that your own node receives, and of others only that something
          happens. Those who run the election see all.
        </p>
      )}
      {!session.watch.isWhole ? null : flights.length === 0 ? (
        <p class="hint">No message is in flight. {NEXT[election.status]}</p>
      ) : (
        <ul class="flight-list">
          {flights.slice(0, LISTED_MAX).map((each) => {
            const mark = lettersOf.get(each.type);
            return (
              <li key={each.id}>
                <button
                  type="button"
                  class="flight"
                  aria-pressed={each.id === chosen}
                  onClick={() => keepInAddress({ message: each.id === chosen ? null : each.id })}
                >
                  <FlightRow mark={mark} {...each} note={`tick ${each.due}`} />
                </button>
              </li>
            );
          })}
        </ul>
      )}
      {session.watch.isWhole && election.inFlight > Math.min(LISTED_MAX, flights.length) ? (
        <p class="hint">
          The first {Math.min(LISTED_MAX, flights.length)} are listed. The diagram shows all.
        </p>
      ) : null}
      {flight === undefined ? null : <FlightMenu session={session} flight={flight} />}
    </section>
  );
}

interface FlightRowProps {
  readonly mark: Pick<TypeMark, 'letters' | 'series'> | undefined;
  readonly from: number | string;
  readonly to: number | string;
  readonly type: string;
  readonly note: string;
}

/** A message in a list: its letters, its way, its type and a note. */
export function FlightRow({ mark, from, to, type, note }: FlightRowProps) {
  return (
    <>
      <span class={`type-mark series-${mark?.series ?? 0}`}>{mark?.letters ?? '·'}</span>
      <span class="flight-way">
        {from} → {to}
      </span>
      <span class="flight-type">{type}</span>
      <span class="flight-due">{note}</span>
    </>
  );
}

function FlightMenu({
  session,
  flight,
}: {
  readonly session: Session;
  readonly flight: MessageInFlight;
}) {
  const ticks = useSignal('10');
  const { id, from, to, type, body } = flight;
  const level = session.watch.election.value?.level ?? null;
  const content = { type, ...body };
  const end = async (kind: 'deliver' | 'drop') => {
    if (await session.act({ type: kind, message: id })) keepInAddress({ message: null });
  };
  return (
    <section class="flight-menu" aria-label={`Message ${id}`}>
      <p>
        Message {id} from {from} to {to}: <code>{contentText(content)}</code>
        {sealText(content) === null ? null : `, ${sealText(content)}`}.
      </p>
      <div class="controls">
        <button type="button" onClick={() => void end('deliver')}>
          Deliver now
        </button>
        <button type="button" onClick={() => void end('drop')}>
          Drop
        </button>
        {level === null || level === 'L1' ? null : (
          <button
            type="button"
            onClick={() => void session.act({ type: 'inject', from, to, message: content })}
          >
            Send a copy
          </button>
        )}
        <span class="delay">
          <button
            type="button"
            onClick={() => void session.act({ type: 'delay', message: id, ticks: ticks.value })}
          >
            Delay
          </button>
          <TextField
            {...{ label: 'by ticks', size: 5, inputMode: 'numeric', value: ticks.value }}
            set={(text) => {
              ticks.value = text;
            }}
          />
        </span>
      </div>
      {level === null || level === 'L1' ? (
        <p class="hint">
          {level === null
            ? 'A copy can be sent if messages are checked (level L0, L2 or L3).'
            : 'At level L1 the network knows the sender, so that no one sends a copy in its name.'}
        </p>
      ) : null}
    </section>
  );
}
