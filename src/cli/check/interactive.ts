/**
 * @module
 * `usurp check --interactive`: the user chooses the actions of an execution one after the other. The possible actions
 * are numbered, and each line of input chooses one. The input may also be a file with one answer per line.
 */

import { createInterface } from 'node:readline/promises';
import { Readable } from 'node:stream';
import type { CheckRequest } from '../../checking/check-request.ts';
import { walkedOf } from '../../checking/check-request.ts';
import type { CheckedProperty } from '../../checking/property.ts';
import { Walk } from '../../checking/traces/walk.ts';
import { writtenCheck } from '../../experiment/checks/counterexample.ts';
import type { WalkedWorld } from '../../experiment/checks/walked-world.ts';
import { actionLines, lastStepText, walkedWorld } from '../../experiment/checks/walked-world.ts';
import { writtenTrace } from '../../simulation/report/trace-formats.ts';
import { describeSide } from '../../simulation/trace/describe.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { columns } from '../shell/layout.ts';
import type { Terminal } from '../shell/terminal.ts';

export const INTERACTIVE_HELP = `
  1, 2, …  carry out this action
  u        go back by one action
  r        go back to the first world
  s        show the state, timers and persisted data of each node, and the messages in flight
  p        show the actions so far
  d        draw the space-time diagram of the actions so far
  q        quit
  ?        show this help
`;

/** Reads answers until `q` or the end of the input. */
export async function walkByHand(request: CheckRequest, terminal: Terminal): Promise<ExitCode> {
  const walk = new Walk(walkedOf(request));
  let world = show(walk, terminal);
  const lines = createInterface({ input: Readable.from(terminal.stdin), signal: terminal.signal });
  ask(world, terminal);
  for await (const line of lines) {
    const answer = line.trim();
    if (answer === 'q') break;
    const number = Number(answer);
    if (/^\d+$/.test(answer) && number >= 1 && number <= world.actions.length) {
      walk.take(number - 1);
      world = show(walk, terminal);
    } else if (answer === 'u' || answer === 'r') {
      if (!walk.undo()) terminal.print('this is the first world\n');
      while (answer === 'r' && walk.undo());
      world = show(walk, terminal);
    } else {
      terminal.print(answerTo(answer, { walk, world, request }));
    }
    ask(world, terminal);
  }
  terminal.print('\n');
  return terminal.signal.aborted ? EXIT.interrupted : EXIT.holds;
}

function ask({ actions }: WalkedWorld, terminal: Terminal): void {
  const { length } = actions;
  const numbers = length === 0 ? 'none is possible' : length === 1 ? '1' : `1–${length}`;
  terminal.print(`action (${numbers}; u, r, s, p, d, q; ? for help)> `);
}

function answerTo(
  answer: string,
  {
    walk,
    world,
    request,
  }: { readonly walk: Walk; readonly world: WalkedWorld; readonly request: CheckRequest },
): string {
  switch (answer) {
    case '?':
      return INTERACTIVE_HELP;
    case 's':
      return stateText(world, walk.store);
    case 'p':
      return pathText(walk);
    case 'd':
      return writtenTrace(writtenCheck(request, walk.actions, null), 'txt');
    case '':
      return '';
    default:
      return `there is no action "${answer}"; type ? for help\n`;
  }
}

/** Prints what the last action did, the nodes, the properties, and the possible actions. */
function show(walk: Walk, terminal: Terminal): WalkedWorld {
  const world = walkedWorld(walk);
  const done = lastStepText(walk) ?? 'the first world';
  const rest = world.isAtRest ? '\nat rest: nothing more happens without the environment' : '';
  const properties = world.properties.map(({ name, kind, holds, breach }) => [
    ...['', name, truthIn(kind, holds)],
    breach ?? '',
  ]);
  const nodes = world.nodes.map(({ rank, up, isPaused, leader, timers }) => [
    ...['', rank === walk.store ? 'store' : `node ${rank}`],
    up ? (isPaused ? 'paused' : 'up') : 'down',
    leader === null ? 'no leader' : leader === rank ? 'leads' : `follows ${leader}`,
    timers.length === 0 ? '' : `timers ${timers.join(', ')}`,
  ]);
  const actions = world.actions.map(({ index, isFault, text }) => [
    ...[String(index + 1).padStart(4), isFault ? 'fault' : '', text],
  ]);
  terminal.print(
    `\n${walk.address.length}: ${done}${rest}\n${columns(nodes)}${columns(properties)}${columns(actions)}`,
  );
  return world;
}

/** Whether a property holds in this world. The verdict depends on other worlds, too. */
function truthIn(kind: CheckedProperty['kind'], holds: boolean): string {
  if (kind === 'always') return holds ? 'holds' : 'VIOLATED';
  return holds ? 'reached' : 'not yet';
}

function stateText(
  { nodes, inFlight, partition, isOneWay }: WalkedWorld,
  store: number | null,
): string {
  const rows = nodes.map(({ rank, state, persisted }) => [
    rank === store ? 'store' : `node ${rank}`,
    JSON.stringify(state),
    persisted === null ? '' : `persisted ${JSON.stringify(persisted)}`,
  ]);
  const messages = inFlight.map(({ from, to, message }) => [
    ...[`${from} → ${to}`, JSON.stringify(message), ''],
  ]);
  const sides = partition?.map((side) => describeSide(side, store)).join(isOneWay ? ' → ' : ' | ');
  const cut = sides === undefined ? [] : [['partition', sides, '']];
  return columns([...rows, ...cut, ...messages]);
}

function pathText(walk: Walk): string {
  const lines = actionLines(walk.actions, walk.store);
  return columns(lines.map(({ number, actor, text }) => [String(number).padStart(4), actor, text]));
}
