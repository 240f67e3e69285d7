/**
 * @module
 * Network namespaces of Linux for the nodes of a cluster. Each node has one, with an address and a virtual cable (a veth
 * pair) to a virtual switch (a bridge). The switch has a namespace of its own: the network of the machine has none of the
 * links, and its firewall rules do not apply to them. The kernel carries out partitions, loss and delay. The watchdog
 * removes the namespaces, and all links with them.
 */

import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import process from 'node:process';
import { LabError } from '../../errors.ts';
import type { Watchdog } from './watchdog.ts';

/** What happens to the packets that a node sends. */
export interface LinkConditions {
  /** The share that is lost. */
  readonly loss: number;
  readonly delayMs: number;
}

const CALM: LinkConditions = { loss: 0, delayMs: 0 };
/** The first switch, to which all nodes are connected without a partition. */
const SWITCH = 'switch';

/** The address of a node in its namespace, where all ports are free. */
export function addressInNamespace(node: number): string {
  return `${hostOf(node)}:7000`;
}

function hostOf(node: number): string {
  return `10.0.0.${node}`;
}

/** Throws LabError `arguments` if this process can have no namespaces. */
export function assertNamespaces(): void {
  if (process.platform !== 'linux') {
    throw refusal('network namespaces are a part of Linux; leave out --netns');
  }
  if (process.geteuid?.() !== 0) {
    throw refusal('only root makes network namespaces; use sudo, or leave out --netns');
  }
  for (const tool of ['ip', 'tc'] as const) {
    if (spawnSync(tool, ['-V']).error === undefined) continue;
    throw refusal(`${tool} is not installed; install Debian's iproute2, or leave out --netns`);
  }
}

export class Namespaces {
  /** Begins all names of this cluster. */
  readonly id = `usurp-${randomBytes(6).toString('hex')}`;
  readonly #watchdog: Watchdog;
  readonly #conditions = new Map<number, LinkConditions>();
  /** The conditions of links of nodes that join later. */
  #usual: LinkConditions;
  /** Switches for the sides of partitions. They stay for the next partition. */
  #sides = 0;

  /** Throws LabError `arguments` if the kernel refuses a namespace. */
  constructor(watchdog: Watchdog, usual: LinkConditions) {
    this.#watchdog = watchdog;
    this.#usual = usual;
    this.#makeSpace('switch');
    this.#ip('switch', switchLines(SWITCH));
  }

  /** Makes the namespace of a node and connects it. */
  add(node: number): void {
    this.#makeSpace(node);
    this.#ip('switch', [
      `link add node-${node} type veth peer name eth0 netns ${this.nameOf(node)}`,
      `link set node-${node} master ${SWITCH} up`,
    ]);
    const address = `address add ${hostOf(node)}/24 dev eth0`;
    this.#ip(node, ['link set lo up', address, 'link set eth0 up']);
    this.#conditions.set(node, CALM);
    this.#shapeNode(node, this.#usual);
  }

  /** What the kernel does to the packets of each node. */
  get conditions(): ReadonlyMap<number, LinkConditions> {
    return this.#conditions;
  }

  /** The name of the namespace of a node, or of the switches. */
  nameOf(space: number | 'switch'): string {
    return `${this.id}-${space}`;
  }

  /** The words before a command that runs as this node. They do not change its process id. */
  commandIn(node: number): readonly string[] {
    return ['ip', 'netns', 'exec', this.nameOf(node)];
  }

  /** Connects each side of a partition to a switch of its own, and nodes of no side to the first switch. */
  divide(sides: readonly (readonly number[])[]): void {
    const added = sides
      .slice(this.#sides)
      .flatMap((_, index) => switchLines(sideName(this.#sides + index)));
    this.#sides = Math.max(this.#sides, sides.length);
    const connected = [...this.#conditions.keys()].map((node) => {
      const side = sides.findIndex((each) => each.includes(node));
      return `link set node-${node} master ${side === -1 ? SWITCH : sideName(side)}`;
    });
    this.#ip('switch', [...added, ...connected]);
  }

  /** Changes what happens to the packets that these nodes send; null for all nodes, also those that join later. */
  shape(change: Partial<LinkConditions>, nodes: readonly number[] | null): void {
    if (nodes === null) this.#usual = { ...this.#usual, ...change };
    for (const node of nodes ?? this.#conditions.keys()) this.#shapeNode(node, change);
  }

  #shapeNode(node: number, change: Partial<LinkConditions>): void {
    const before = this.#conditions.get(node) ?? CALM;
    const after = { ...before, ...change };
    if (after.loss === before.loss && after.delayMs === before.delayMs) return;
    const own = ['-n', this.nameOf(node)];
    const port = ['-n', this.nameOf('switch')];
    // These fail if there is nothing to delete.
    attempt('tc', [...own, 'qdisc', 'delete', 'dev', 'eth0', 'root']);
    attempt('tc', [...port, 'qdisc', 'delete', 'dev', `node-${node}`, 'clsact']);
    this.#conditions.set(node, CALM);
    const { loss, delayMs } = after;
    if (loss > 0 || delayMs > 0) {
      const rules = ['delay', `${Math.round(delayMs * 1000)}us`, 'loss', `${loss * 100}%`];
      const fault = attempt('tc', [
        ...own,
        'qdisc',
        'add',
        'dev',
        'eth0',
        'root',
        'netem',
        ...rules,
      ]);
      if (fault !== null) this.#shapeWithoutNetem(node, after, fault);
    }
    this.#conditions.set(node, after);
  }

  /** Many kernels of virtual machines lack netem, but can drop packets that a program chooses. */
  #shapeWithoutNetem(node: number, { loss, delayMs }: LinkConditions, fault: string): void {
    if (delayMs > 0) {
      throw refusal(
        `the kernel cannot delay packets (${fault}); load its module with modprobe sch_netem, or use loss alone`,
      );
    }
    // Where the packets arrive at the switch: their sender does not notice the loss.
    const port = ['-n', this.nameOf('switch')];
    const device = ['dev', `node-${node}`];
    carryOut('tc', [...port, 'qdisc', 'add', ...device, 'clsact']);
    const program = ['bpf', 'direct-action', 'bytecode', lossProgram(loss)];
    carryOut('tc', [...port, 'filter', 'add', ...device, 'ingress', ...program]);
  }

  #makeSpace(space: number | 'switch'): void {
    const name = this.nameOf(space);
    // First, so that it is removed if this process is killed meanwhile.
    this.#watchdog.addNamespace(name);
    carryOut('ip', ['netns', 'add', name]);
  }

  #ip(space: number | 'switch', lines: readonly string[]): void {
    carryOut('ip', ['-n', this.nameOf(space), '-batch', '-'], `${lines.join('\n')}\n`);
  }
}

function switchLines(name: string): readonly string[] {
  return [`link add ${name} type bridge`, `link set ${name} up`];
}

function sideName(side: number): string {
  return `side-${side + 1}`;
}

/** Where the packet filter of Linux reads a random word (SKF_AD_OFF + SKF_AD_RANDOM). */
const RANDOM_WORD = 2 ** 32 - 0x1000 + 56;
/** TC_ACT_UNSPEC: the packet passes. */
const PASS = 2 ** 32 - 1;
/** TC_ACT_SHOT. */
const DROP = 2;

/** Drops this share of packets: a program of the classic packet filter, as `tc` reads it (code, two jumps, constant). */
function lossProgram(share: number): string {
  const below = Math.min(Math.round(share * 2 ** 32), 2 ** 32 - 1);
  const load = `32 0 0 ${RANDOM_WORD}`;
  const compare = `53 0 1 ${below}`;
  return `4,${load},${compare},6 0 0 ${PASS},6 0 0 ${DROP}`;
}

/** Throws LabError `arguments` with what the tool says. */
function carryOut(tool: 'ip' | 'tc', args: readonly string[], stdin = ''): void {
  const fault = attempt(tool, args, stdin);
  if (fault === null) return;
  throw refusal(
    `${tool} ${args.join(' ')}: ${fault}; --netns needs all rights of root (in a container --privileged), and bridge and veth in the kernel`,
  );
}

/** Null, or what the tool says if it fails. */
function attempt(tool: 'ip' | 'tc', args: readonly string[], stdin = ''): string | null {
  const { status, stderr } = spawnSync(tool, args, { input: stdin, encoding: 'utf8' });
  return status === 0 ? null : stderr.trim().replaceAll('\n', ' ');
}

function refusal(detail: string): LabError {
  return new LabError('arguments', detail);
}
