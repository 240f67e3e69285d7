/**
 * @module
 * This folder runs several live nodes as processes of this machine. This file starts them, kills, pauses and divides them,
 * and observes what they do. A node is `usurp node --controlled`; its process stops with the cluster. Nodes are numbered
 * from 1: first the founders, which are the nodes of the peers file, by rank. A node that joins gets the next number.
 */

import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { spawn } from 'node:child_process';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import type { Message } from '../../election/machine.ts';
import { LabError } from '../../errors.ts';
import type { Cut } from '../../simulation/faults/schedule.ts';
import type { Disturbance } from '../check/disturbances.ts';
import type { Division } from '../check/division.ts';
import {
  divisionIn,
  divisionOf,
  isClean,
  separates,
  UNDIVIDED,
  wholeDivision,
} from '../check/division.ts';
import type { CrashPoint } from '../crash-points.ts';
import { STORE_RANK } from '../node-record.ts';
import type { Chance, ChanceName } from '../transport/links.ts';
import { holdsWithin } from '../waiting.ts';
import type { ClusterPlan, Elsewhere } from './cluster-plan.ts';
import type { NodeCommand } from './control.ts';
import { parseNodeReport } from './control.ts';
import type { LinkConditions } from './namespaces.ts';
import type {
  Agreement,
  Follower,
  Led,
  Member,
  NodeState,
  Seen,
  StartState,
} from './node-state.ts';
import {
  agreementOf,
  newMember,
  nodeState,
  noteStep,
  startOf,
  sumOf,
  together,
} from './node-state.ts';
import type { Watchdog } from './watchdog.ts';
import { startWatchdog } from './watchdog.ts';

/** Stands for the store in a partition. */
export const STORE_NUMBER = 0;
const STOP_MS_MAX = 3_000;

export class Cluster {
  /** The node that was killed or paused last; null if none was. */
  lastDisturbed: number | null = null;
  readonly #plan: ClusterPlan;
  readonly #watchdog: Watchdog;
  readonly #members = new Map<number, Member>();
  /** The arguments of each node, the first of node 1. */
  readonly #args: (readonly string[] | Elsewhere)[];
  readonly #numbers = new Map<string, number>();
  /** Nodes of other machines that have not answered yet: they are starting. */
  readonly #awaited = new Set<number>();
  #division: Division<number> = UNDIVIDED;
  /** Nodes that were removed, which do not return. */
  readonly #removed: Set<number>;
  /** What happens to messages by chance now. `chance` changes it. */
  readonly chances = new Map<ChanceName, Chance>();
  #isEnding = false;

  constructor(plan: ClusterPlan) {
    this.#plan = plan;
    this.#args = [...plan.founders];
    this.#removed = new Set(plan.removed);
    this.#watchdog = plan.watchdog ?? startWatchdog(plan.folder);
    for (const node of this.nodes()) plan.namespaces?.add(node);
    for (const node of this.nodes()) {
      const elsewhere = this.#elsewhere(node);
      if (this.#removed.has(node)) continue;
      if (elsewhere === null) this.start(node, false);
      else {
        this.#numbers.set(elsewhere.rank, node);
        this.observe(node, 'starting');
        this.#awaited.add(node);
      }
    }
  }

  /** Starts a new node with these arguments of `usurp node`. Returns its number. */
  join(args: readonly string[]): number {
    const node = this.#args.push(args);
    this.#plan.namespaces?.add(node);
    this.start(node, false);
    return node;
  }

  /** Starts a node that is down. Throws LabError `arguments`, as all actions do that are impossible. */
  start(node: number, amnesia: boolean): void {
    const own = this.#argumentsOf(node);
    this.#assertKept(node);
    if (this.#members.has(node)) throw refusal(`node ${node} is up; kill it first`);
    const run = ['node', ...own, '--controlled'];
    if (amnesia) run.push('--amnesia');
    const before = this.#plan.namespaces?.commandIn(node) ?? [];
    const child = spawnNode(before, run);
    const member = newMember(child);
    this.#members.set(node, member);
    if (child.pid !== undefined) this.#watchdog.add(child.pid);
    child.stderr.on('data', (chunk) => {
      member.stderr = `${member.stderr}${chunk}`.slice(-2000);
    });
    createInterface({ input: child.stdout }).on('line', (line) => this.#note(node, member, line));
    child.once('error', (error) => {
      member.stderr += String(error);
    });
    child.once('close', (_, signal) => {
      if (child.pid !== undefined) this.#watchdog.remove(child.pid);
      if (this.#members.get(node) === member) this.#members.delete(node);
      this.#begin();
      this.#disturbed({ t: Date.now(), type: this.#isEnding ? 'stop' : 'end', node });
      this.#plan.onChange?.();
      if (member.dieAt !== null && signal === 'SIGKILL') {
        member.isWanted = false;
        this.lastDisturbed = node;
      }
      const cause = member.stderr.trim().replace(/^usurp: /, '');
      if (member.isWanted) this.#plan.onFault(node, cause);
    });
  }

  /** Notes the state of a node of another machine; null if it does not answer. One that never did is starting. */
  observe(node: number, seen: Seen | 'starting' | null): void {
    if (seen === null && this.#awaited.has(node)) return;
    this.#awaited.delete(node);
    if (seen === null) this.#members.delete(node);
    else {
      const state = seen === 'starting' ? {} : { ...seen, rank: this.rankOf(node) };
      this.#members.set(node, { ...newMember(null), ...state });
    }
    this.#plan.onChange?.();
  }

  /** Kills a node with kill -9. Resolves when its process is gone. */
  async kill(node: number): Promise<void> {
    const member = this.#upMember(node);
    member.isWanted = false;
    member.child?.kill('SIGKILL');
    await this.#goneWithin(STOP_MS_MAX, [node]);
    this.lastDisturbed = node;
  }

  /**
   * Commands all nodes to let one leave. Its process ends when a majority of the other members has that on disk.
   * Returns whether this has happened in time; if not, the nodes still act on it.
   */
  async remove(node: number, waitMs: number, signal: AbortSignal): Promise<boolean> {
    this.#assertNode(node);
    this.#assertKept(node);
    const rank = this.rankOf(node);
    if (rank === null) throw refusal(`node ${node} has never begun, so that it is no member`);
    for (const member of this.#members.values()) this.#command(member, { leave: rank });
    const isOut = () => this.#haveVoters((voters) => !voters.includes(rank));
    await holdsWithin(isOut, { waitMs, signal });
    if (!isOut()) return false;
    this.#removed.add(node);
    this.#disturbed({ t: Date.now(), type: 'remove', node });
    if (!this.isDown(node)) await this.kill(node);
    return true;
  }

  /** The members that count by the leader, or by the first node that is up; null in a protocol whose members do not change. */
  voters(): readonly number[] | null {
    const [first = 0] = this.awake();
    const known = this.#members.get(this.leader() ?? first);
    const voters = known === undefined ? null : this.#votersOf(known);
    return voters?.flatMap((rank) => this.#numbers.get(rank) ?? []) ?? null;
  }

  /** Whether the leader and a majority of its members know such members. */
  #haveVoters(are: (voters: readonly string[]) => boolean): boolean {
    const leader = this.#members.get(this.leader() ?? 0);
    const voters = leader === undefined ? null : this.#votersOf(leader);
    if (voters === null || !are(voters)) return false;
    const having = voters.filter((rank) => {
      const member = this.#members.get(this.#numbers.get(rank) ?? 0);
      return member !== undefined && are(this.#votersOf(member) ?? []);
    });
    return 2 * having.length > voters.length;
  }

  #votersOf({ persisted }: Member): readonly string[] | null {
    const { votersIn = null, founderRanks = [] } = this.#plan;
    return votersIn === null ? null : (votersIn(persisted)?.map(String) ?? founderRanks);
  }

  pause(node: number): void {
    const member = this.#upMember(node);
    if (member.isPaused) throw refusal(`node ${node} is already paused; resume it first`);
    member.isPaused = true;
    this.#disturbed({ t: Date.now(), type: 'pause', node });
    member.child?.kill('SIGSTOP');
    this.lastDisturbed = node;
  }

  resume(node: number): void {
    const member = this.#upMember(node);
    if (!member.isPaused) throw refusal(`node ${node} is not paused; pause it first`);
    member.isPaused = false;
    this.#disturbed({ t: Date.now(), type: 'resume', node });
    member.child?.kill('SIGCONT');
  }

  /**
   * Divides the nodes. All nodes that no side names form one more side, unless only one direction is cut. A store that no
   * side names is in reach of all; its number is `STORE_NUMBER`.
   */
  partition(sides: Division<number>['sides'], isOneWay?: true | undefined): void {
    for (const node of sides.flat()) this.#assertDividable(node);
    this.#divide(wholeDivision({ sides, isOneWay }, this.nodes()));
  }

  /** Divides the nodes by a cut of the simulator. */
  cut(cut: Cut): void {
    const nodes = this.nodes().length;
    const store = this.#plan.hasStore === true ? STORE_NUMBER : null;
    const { sides, isOneWay } = divisionOf(cut, nodes, store);
    this.partition(sides, isOneWay);
  }

  heal(): void {
    this.#divide(UNDIVIDED);
  }

  /** Changes what happens to the packets that these nodes send; null for all. Only the kernel can do this. */
  shape(change: Partial<LinkConditions>, nodes: readonly number[] | null): void {
    for (const node of nodes ?? []) this.#assertNode(node);
    const { namespaces } = this.#plan;
    if (!namespaces) throw refusal('loss and delay need network namespaces; use up --netns');
    namespaces.shape(change, nodes);
  }

  /** Loses or duplicates a share of the messages that the nodes send. Those to and from a store can be lost, too. */
  chance(name: ChanceName, chance: Chance): void {
    this.chances.set(name, chance);
    for (const member of this.#members.values()) this.#sendChances(member);
  }

  skew(node: number, rate: number): void {
    const member = this.#upMember(node);
    member.rate = rate;
    this.#command(member, { rate });
  }

  /** Lets a node die at this point of its next step that persists something or calls the store. */
  dieAt(node: number, point: CrashPoint): void {
    const member = this.#upMember(node);
    member.dieAt = point;
    this.#command(member, { dieAt: point });
  }

  /** The nodes that will die in a later step, and where. */
  get doomed(): readonly (readonly [node: number, point: CrashPoint])[] {
    return [...this.#members].flatMap(([node, { dieAt }]) =>
      dieAt === null ? [] : [[node, dieAt] as const],
    );
  }

  /** Makes the clock of a node jump by this time in ms. */
  jump(node: number, ms: number): void {
    this.#command(this.#upMember(node), { jump: ms });
  }

  /** Asks a node in the name of a client. Whether the question is on its way: a node that is down takes none. */
  ask(node: number, question: Message): boolean {
    const member = this.#members.get(node);
    if (member !== undefined) this.#command(member, { ask: question });
    return member !== undefined;
  }

  /** Notes what has happened to the store that was started with the nodes. */
  noteStore(type: 'end' | 'return' | 'pause' | 'resume'): void {
    this.#disturbed({ t: Date.now(), type, node: STORE_NUMBER });
  }

  /** The nodes that are up and not paused. */
  awake(): readonly number[] {
    return this.states().flatMap(({ node, status }) => (status === 'up' ? node : []));
  }

  /** The nodes that lead by their own account, the highest epoch first. */
  leading(): readonly Led[] {
    const leading = [...this.#members].flatMap(([node, { leader, rank, epoch }]) =>
      leader === rank && rank !== null ? { node, epoch } : [],
    );
    return leading.sort((one, other) => other.epoch - one.epoch || one.node - other.node);
  }

  /** The node that leads in the highest epoch by its own account; null if none does. */
  leader(): number | null {
    return this.leading()[0]?.node ?? null;
  }

  /** All nodes, those that are down included. */
  nodes(): readonly number[] {
    return this.#args.map((_, index) => index + 1);
  }

  /** Which leader each node follows. */
  followed(): readonly Follower[] {
    return this.awake().map((node) => {
      const { leader = null, epoch = 0 } = this.#members.get(node) ?? {};
      return { node, leader: leader === null ? null : (this.#numbers.get(leader) ?? null), epoch };
    });
  }

  /** All nodes, as their last reports have them. */
  states(): readonly NodeState[] {
    return this.nodes().map((node) => {
      const state = nodeState(node, this.#members.get(node), this.#numbers);
      return this.#removed.has(node) ? { ...state, status: 'removed' } : state;
    });
  }

  /** How far the start of the nodes has come. */
  startState(): StartState {
    return startOf(this.nodes(), this.#members);
  }

  /** The sides of the partition; none without one. */
  get division(): Division<number> {
    return this.#division;
  }

  /** The rank of a node that was ready once, by its number. */
  rankOf(node: number): string | null {
    if (node === STORE_NUMBER) return String(STORE_RANK);
    return [...this.#numbers].find(([, number]) => number === node)?.[0] ?? null;
  }

  /**
   * Messages that the nodes have refused since each was started, by reason; as of their last reports. `unseen` are those
   * of them that no level has checked: their senders were no members, or they came too fast.
   */
  refused(which: 'refused' | 'unseen' = 'refused'): Readonly<Record<string, number>> {
    return sumOf([...this.#members.values()].map((member) => member[which] ?? {}));
  }

  /** The number of the node with a rank that was ready once; null if none has it. */
  numberOf(rank: string): number | null {
    return this.#numbers.get(rank) ?? null;
  }

  /** The rank that a node follows, which need not be that of a node. */
  followedRank(node: number): string | null {
    return this.#members.get(node)?.leader ?? null;
  }

  /** Whether a node was killed, has ended, or did not start. */
  isDown(node: number): boolean {
    return !this.#members.has(node);
  }

  /**
   * The agreement of all nodes that are awake, or of those on the largest side; null if there is none now. No node may
   * suspect the leader: it would not notice if the leader failed now.
   */
  agreement(): Agreement | null {
    if (this.#isStarting) return null;
    const { sides: own, isOneWay } = this.#division;
    const able = this.#plan.electsInStore ? own.filter((side) => side.includes(STORE_NUMBER)) : own;
    const sides = able.length === 0 || isOneWay ? [this.nodes()] : able;
    return agreementOf(sides, this.followed(), (node, leader) => {
      return this.#members.get(node)?.suspects.has(this.rankOf(leader) ?? '') === true;
    });
  }

  /** Waits for an agreement. Null if there is none in this time, or if no node is left. */
  async agreedWithin(waitMs: number, signal: AbortSignal): Promise<Agreement | null> {
    await holdsWithin(() => this.agreement() !== null || this.#isEmpty, { waitMs, signal });
    return this.agreement();
  }

  /** Waits until each node was ready or has ended. Whether one of them is up. */
  async startedWithin(waitMs: number, signal: AbortSignal): Promise<boolean> {
    await holdsWithin(() => !this.#isStarting, { waitMs, signal });
    return this.#members.size > 0;
  }

  /** Stops all nodes, also paused ones, so that no process is left. */
  async down(): Promise<void> {
    this.#isEnding = true;
    const own = [...this.#members].filter(([, { child }]) => child !== null);
    const nodes = own.map(([node]) => node);
    for (const [node, member] of own) {
      member.isWanted = false;
      if (member.isPaused) this.resume(node);
      member.child?.kill('SIGINT');
    }
    await this.#goneWithin(STOP_MS_MAX, nodes);
    for (const { child } of this.#members.values()) child?.kill('SIGKILL');
    await this.#goneWithin(STOP_MS_MAX, nodes);
  }

  /** Call after `down`. Removes the folder of the plan. */
  async close(): Promise<void> {
    await this.#watchdog.close();
  }

  #note(node: number, member: Member, line: string): void {
    const report = parseNodeReport(line, (fault) => this.#plan.onFault(node, fault));
    if (report === null) return;
    if ('record' in report) {
      noteStep(member, report.record);
      this.#plan.onRecord(node, report.record);
    } else if ('url' in report) {
      this.#numbers.set(report.rank, node);
      member.rank = report.rank;
      this.#begin();
      const { sides } = this.#division;
      for (const each of sides.length > 0 ? this.#members.keys() : []) this.#sendCut(each);
      this.#sendChances(member);
    } else if ('warning' in report) this.#plan.onWarning?.(node, report.warning);
    else if ('client' in report) this.#plan.onClient?.(node, report.client);
    else if ('gathered' in report) this.#begin(member);
    else {
      Object.assign(member, report);
      this.#plan.onChange?.();
    }
  }

  #begin(gathered: Member | null = null): void {
    if (gathered !== null) gathered.isWaiting = true;
    for (const member of together([...this.#members.values()])) {
      member.isWaiting = false;
      this.#command(member, { begin: true });
    }
  }

  #divide(division: Division<number>): void {
    this.#plan.namespaces?.divide(isClean(division) ? division.sides : []);
    this.#division = division;
    const t = Date.now();
    const isHealed = division.sides.length === 0;
    this.#disturbed(
      isHealed ? { t, type: 'heal' } : { t, type: 'partition', ...divisionIn(division) },
    );
    for (const node of this.#members.keys()) this.#sendCut(node);
  }

  #disturbed(disturbance: Disturbance<number>): void {
    this.#plan.onDisturbance?.(disturbance);
  }

  #sendCut(node: number): void {
    const member = this.#members.get(node);
    const division = this.#division;
    // The kernel divides nodes in namespaces. A store in a file is in none.
    const byKernel = this.#plan.namespaces && isClean(division);
    const others = [...new Set(division.sides.flat())].filter((each) =>
      byKernel ? each === STORE_NUMBER : each !== node,
    );
    const ranks = (isLost: (other: number) => boolean) =>
      others.filter(isLost).flatMap((each) => this.rankOf(each) ?? []);
    const to = ranks((other) => separates(division, node, other));
    const from = ranks((other) => separates(division, other, node));
    if (member !== undefined) this.#command(member, { cut: { to, from } });
  }

  #sendChances(member: Member): void {
    for (const [chance, { share, seed }] of this.chances) {
      this.#command(member, { chance, share, seed });
    }
  }

  #command({ child }: Member, command: NodeCommand): void {
    child?.stdin?.write(`${JSON.stringify(command)}\n`);
  }

  get #isStarting(): boolean {
    return [...this.#members.values()].some(({ rank }) => rank === null);
  }

  /** Whether all nodes are down; those of other machines can return by themselves. */
  get #isEmpty(): boolean {
    return this.#members.size === 0 && !this.#args.some((each) => 'machine' in each);
  }

  #assertNode(node: number): void {
    if (this.nodes().includes(node)) return;
    throw refusal(`there is no node ${node}; the nodes are 1..${this.#args.length}`);
  }

  #assertKept(node: number): void {
    if (!this.#removed.has(node)) return;
    throw refusal(`node ${node} was removed; let a node with a new key join`);
  }

  #assertDividable(node: number): void {
    if (node !== STORE_NUMBER) this.#assertNode(node);
    else if (this.#plan.hasStore !== true)
      throw refusal('these nodes use no store; name one with --store');
  }

  #elsewhere(node: number): Elsewhere | null {
    const found = this.#args[node - 1];
    return found !== undefined && 'machine' in found ? found : null;
  }

  /** The arguments of a node of this machine. */
  #argumentsOf(node: number): readonly string[] {
    this.#assertNode(node);
    const found = this.#args[node - 1] ?? [];
    if (!('machine' in found)) return found;
    throw refusal(`node ${node} is on the machine ${found.machine}; give the command there`);
  }

  #upMember(node: number): Member {
    this.#argumentsOf(node);
    const member = this.#members.get(node);
    if (member === undefined) throw refusal(`node ${node} is down; start it first`);
    return member;
  }

  async #goneWithin(waitMs: number, nodes: readonly number[]): Promise<void> {
    await holdsWithin(() => nodes.every((node) => this.isDown(node)), { waitMs });
  }
}

const refusal = (detail: string) => new LabError('arguments', detail);

const PROGRAM = fileURLToPath(new URL('../../../bin/usurp.js', import.meta.url));
/** A node works little at a time, so that one thread of V8 and one arena of malloc (glibc) suffice. Others take memory. */
const ONE_THREAD = '--v8-pool-size=1';

/** Runs usurp with these arguments. The words `before` are those of a program that starts it elsewhere. */
function spawnNode(
  before: readonly string[],
  run: readonly string[],
): ChildProcessWithoutNullStreams {
  const [program = '', ...args] = [...before, process.execPath, ONE_THREAD, PROGRAM, ...run];
  // In a session of its own, so that Ctrl-C in a terminal reaches the controller alone.
  const child = spawn(program, args, {
    detached: true,
    stdio: 'pipe',
    env: { ...process.env, MALLOC_ARENA_MAX: '1' },
  });
  // A node that has ended takes no more commands.
  child.stdin.on('error', () => undefined);
  return child;
}
