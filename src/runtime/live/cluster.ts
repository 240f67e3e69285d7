/**
 * @module
 * Starts live nodes as processes of this machine, kills, pauses and divides them, and observes their
 * leaders. A node is `usurp node --controlled`; its process ends with the cluster.
 */

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LabError } from '../../errors.ts';
import type { NodeCommand } from './control.ts';
import { parseNodeReport } from './control.ts';
import type { Watchdog } from './watchdog.ts';
import { startWatchdog } from './watchdog.ts';

/** Each takes about 80 MB. */
export const CLUSTER_NODES_MAX = 64;
const PROGRAM = fileURLToPath(new URL('../../../bin/usurp.js', import.meta.url));
/** A node makes little garbage at a time. This saves 12 MB a node. */
const SMALL_HEAP = '--max-semi-space-size=1';
const STOP_MS_MAX = 3_000;
const POLL_MS = 10;

export interface ClusterPlan {
  readonly nodes: number;
  /** The arguments of `usurp node` at this position. */
  readonly argsOf: (position: number) => readonly string[];
  /** A folder that is removed with the cluster, also if this process is killed; null for none. */
  readonly folder: string | null;
  /** Receives what a node says on stderr when it ends by itself. */
  readonly onFault: (position: number, text: string) => void;
}

/** One node of a cluster. */
interface Member {
  readonly child: ChildProcess;
  isReady: boolean;
  isPaused: boolean;
  isWanted: boolean;
  leader: number | null;
  epoch: number;
  stderr: string;
}

/** Nodes that follow one leader. */
export interface Agreement {
  readonly leader: number;
  readonly epoch: number;
  readonly nodes: readonly number[];
}

export class Cluster {
  readonly #plan: ClusterPlan;
  readonly #watchdog: Watchdog;
  readonly #members = new Map<number, Member>();
  #sides: readonly (readonly number[])[] = [];

  constructor(plan: ClusterPlan) {
    this.#plan = plan;
    this.#watchdog = startWatchdog(plan.folder);
    for (let position = 1; position <= plan.nodes; position += 1) this.start(position, false);
  }

  /** Starts a node that is down. Throws LabError `arguments`, as all actions do that are impossible. */
  start(position: number, amnesia: boolean): void {
    this.#assertPosition(position);
    if (this.#members.has(position)) throw refusal(`node ${position} is up`);
    const args = [SMALL_HEAP, PROGRAM, 'node', ...this.#plan.argsOf(position), '--controlled'];
    if (amnesia) args.push('--amnesia');
    // In a session of its own, so that Ctrl-C in a terminal reaches the controller alone.
    const child = spawn(process.execPath, args, { detached: true, stdio: 'pipe' });
    const member: Member = {
      ...{ child, isReady: false, isPaused: false, isWanted: true },
      ...{ leader: null, epoch: 0, stderr: '' },
    };
    this.#members.set(position, member);
    if (child.pid !== undefined) this.#watchdog.add(child.pid);
    child.stdin.on('error', () => undefined);
    child.stderr.on('data', (chunk) => {
      member.stderr = `${member.stderr}${chunk}`.slice(-2000);
    });
    createInterface({ input: child.stdout }).on('line', (line) =>
      this.#note(position, member, line),
    );
    child.once('error', (error) => {
      member.stderr += String(error);
    });
    child.once('close', () => {
      if (child.pid !== undefined) this.#watchdog.remove(child.pid);
      if (this.#members.get(position) === member) this.#members.delete(position);
      if (member.isWanted) this.#plan.onFault(position, member.stderr.trim());
    });
  }

  /** Ends a node with kill -9. Resolves when it is gone. */
  async kill(position: number): Promise<void> {
    const member = this.#upMember(position);
    member.isWanted = false;
    member.child.kill('SIGKILL');
    await this.#goneWithin(STOP_MS_MAX, [position]);
  }

  pause(position: number): void {
    const member = this.#upMember(position);
    if (member.isPaused) throw refusal(`node ${position} is paused`);
    member.isPaused = true;
    member.child.kill('SIGSTOP');
  }

  resume(position: number): void {
    const member = this.#upMember(position);
    if (!member.isPaused) throw refusal(`node ${position} is not paused`);
    member.isPaused = false;
    member.child.kill('SIGCONT');
  }

  /** Divides the nodes. A node that no side names is on a side of its own with the others of this kind. */
  partition(sides: readonly (readonly number[])[]): void {
    const named = sides.flat();
    for (const position of named) this.#assertPosition(position);
    if (new Set(named).size < named.length) throw refusal('a node is on one side only');
    const rest = this.#positions().filter((position) => !named.includes(position));
    this.#sides = rest.length === 0 ? sides : [...sides, rest];
    for (const position of this.#members.keys()) this.#sendCut(position);
  }

  heal(): void {
    this.#sides = [];
    for (const position of this.#members.keys()) this.#sendCut(position);
  }

  skew(position: number, rate: number): void {
    this.#command(this.#upMember(position), { rate });
  }

  /** The nodes that are up and not paused. */
  awake(): readonly number[] {
    return this.#positions().filter((position) => {
      const member = this.#members.get(position);
      return member?.isReady === true && !member.isPaused;
    });
  }

  /** The node that leads in the highest epoch by its own account; null if none does. */
  leader(): number | null {
    const leading = [...this.#members].filter(([position, { leader }]) => leader === position);
    const [first] = leading.toSorted(([, one], [, other]) => other.epoch - one.epoch);
    return first?.[0] ?? null;
  }

  /** Which leader each node follows. */
  followed(): readonly {
    readonly node: number;
    readonly leader: number | null;
    readonly epoch: number;
  }[] {
    return this.awake().map((node) => {
      const member = this.#members.get(node);
      return { node, leader: member?.leader ?? null, epoch: member?.epoch ?? 0 };
    });
  }

  /** The agreement of all nodes that are awake, or of those on the largest side; null if there is none now. */
  agreement(): Agreement | null {
    const awake = this.awake();
    const isStarting = [...this.#members.values()].some(({ isReady }) => !isReady);
    const sides = this.#sides.length === 0 ? [this.#positions()] : this.#sides;
    const groups = sides.map((side) => side.filter((position) => awake.includes(position)));
    const [nodes = []] = groups.toSorted((one, other) => other.length - one.length);
    const [first, ...others] = this.followed().filter(({ node }) => nodes.includes(node));
    if (isStarting || first === undefined || first.leader === null) return null;
    const { leader, epoch } = first;
    const isShared = others.every((each) => each.leader === leader && each.epoch === epoch);
    return isShared && nodes.includes(leader) ? { leader, epoch, nodes } : null;
  }

  /** Waits for an agreement. Null if there is none in this time. */
  async agreedWithin(waitMs: number, signal: AbortSignal): Promise<Agreement | null> {
    const deadline = Date.now() + waitMs;
    while (Date.now() < deadline && !signal.aborted) {
      const agreement = this.agreement();
      if (agreement !== null) return agreement;
      await delay(POLL_MS);
    }
    return null;
  }

  /** Ends all nodes, paused ones too. No process is left afterwards. */
  async down(): Promise<void> {
    const positions = [...this.#members.keys()];
    for (const { child, isPaused } of this.#members.values()) {
      if (isPaused) child.kill('SIGCONT');
      child.kill('SIGINT');
    }
    for (const member of this.#members.values()) member.isWanted = false;
    await this.#goneWithin(STOP_MS_MAX, positions);
    for (const { child } of this.#members.values()) child.kill('SIGKILL');
    await this.#goneWithin(STOP_MS_MAX, positions);
  }

  /** Call after `down`. Removes the folder of the plan. */
  async close(): Promise<void> {
    await this.#watchdog.close();
  }

  #note(position: number, member: Member, line: string): void {
    const report = parseNodeReport(line);
    if ('url' in report) {
      member.isReady = true;
      if (this.#sides.length > 0) this.#sendCut(position);
    } else {
      member.leader = report.leader;
      member.epoch = report.epoch;
    }
  }

  #sendCut(position: number): void {
    const side = this.#sides.find((each) => each.includes(position));
    const cut = side === undefined ? [] : this.#positions().filter((each) => !side.includes(each));
    const member = this.#members.get(position);
    if (member !== undefined) this.#command(member, { cut });
  }

  #command({ child }: Member, command: NodeCommand): void {
    child.stdin?.write(`${JSON.stringify(command)}\n`);
  }

  #positions(): readonly number[] {
    return Array.from({ length: this.#plan.nodes }, (_, index) => index + 1);
  }

  #assertPosition(position: number): void {
    if (this.#positions().includes(position)) return;
    throw refusal(`${position} is no node; nodes are 1..${this.#plan.nodes}`);
  }

  #upMember(position: number): Member {
    this.#assertPosition(position);
    const member = this.#members.get(position);
    if (member === undefined) throw refusal(`node ${position} is down`);
    return member;
  }

  async #goneWithin(waitMs: number, positions: readonly number[]): Promise<void> {
    const deadline = Date.now() + waitMs;
    const areUp = () => positions.some((position) => this.#members.has(position));
    while (areUp() && Date.now() < deadline) await delay(POLL_MS);
  }
}

function refusal(detail: string): LabError {
  return new LabError('arguments', detail);
}
