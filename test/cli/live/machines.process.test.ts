/**
 * @module
 * The files that nodes share, and a cluster on several machines: two controllers of one file, each with its own keys, form
 * one cluster on 127.0.0.1.
 */

import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';
import { parseCluster } from '../../../src/live/cluster/cluster-document.ts';
import { parsePeers } from '../../../src/live/peers.ts';
import { freePorts } from '../../../src/live/stores/own-store.ts';
import { readDocuments } from '../../documents/markdown.ts';
import { testKey, writeKey } from '../../live/network.ts';
import { ended, ROOT, scratchFolder, spawnUsurp, usurp } from '../shell.ts';

const folder = scratchFolder();
const file = join(folder, 'cluster.json');
const RUN = ['--protocol', 'bully-oneshot', '--latency', '150ms', '--election', 'demo'];

/** Nodes 1 and 2 are on alpha, node 3 on beta. */
beforeAll(async () => {
  const ports = await freePorts(3);
  const keys = [1, 2, 3].map((number) => {
    const key = testKey(number);
    writeKey(join(folder, `key-${number}.json`), key);
    return key.claim.nodeId;
  });
  const highest = keys.indexOf([...keys].sort().at(-1) ?? '');
  const entries = await Promise.all(
    ports.map(async (port, index) => {
      const machine = index === highest ? 'beta' : 'alpha';
      const named = ['--identity', join(folder, `key-${index + 1}.json`), '--here', machine];
      const url = `https://127.0.0.1:${port}`;
      const printed = await usurp(['cluster', 'entry', ...named, '--url', url]);
      const path = join(folder, `node-${index + 1}.json`);
      writeFileSync(path, printed.stdout);
      return path;
    }),
  );
  const printed = await usurp(['cluster', 'file', ...entries, ...RUN]);
  writeFileSync(file, printed.stdout);
});

/** The elections that each start begins have ended. */
const SETTLED = 'sleep 2s';
const entering = (url: string, ...more: string[]) => {
  return ['entry', '--identity', join(folder, 'key-1.json'), '--url', url, ...more];
};
const up = (machine: string) => ['cluster', 'up', '--file', file, '--here', machine, '--quiet'];

describe('a cluster on two machines', () => {
  it('has a file without secrets', () => {
    const { network, nodes } = parseCluster(readFileSync(file, 'utf8'));

    expect(nodes.map(({ machine }) => machine)).toEqual(['alpha', 'alpha', 'beta']);
    expect(network.election).toBe('demo');
    expect(readFileSync(file, 'utf8')).not.toContain('secret');
  });

  it('elects one leader, loses it in a partition by one side alone, and the model takes every step', async () => {
    const beta = spawnUsurp(up('beta'));
    const printedByBeta = ended(beta);
    beta.stdin.write('wait\n');

    const faults = ['kill 3', 'pause leader', 'partition 3', 'wait', SETTLED, 'heal', 'wait'];
    const alpha = await usurp(up('alpha'), ['wait', SETTLED, ...faults].join('\n'));
    // Beta sees within this time that the nodes of alpha are down.
    beta.stdin.end(`${SETTLED}\nwait\n`);
    const { stdout, stderr } = await printedByBeta;

    expect(leaders(alpha.stdout)).toEqual(['3 of 1, 2, 3', '2 of 1, 2', '3 of 1, 2, 3']);
    expect(alpha.stderr).toContain('node 3 is on the machine beta; give the command there');
    expect(leaders(stdout)).toEqual(['3 of 1, 2, 3', '3 of 3']);
    expect(stderr).toBe('');
    const logs = [1, 2, 3].map((number) => join(folder, `key-${number}.json.log`));
    const trace = await usurp(['cluster', 'trace', '--file', file, ...logs]);
    expect(trace.stdout).toMatch(/^The model takes all \d+ steps$/m);
  });

  it.each([
    [['up', '--file', file], '--file needs the name of this machine; give it with --here'],
    [['up', '--file', file, '--here', 'gamma'], 'the machines of the file are alpha, beta'],
    [['up', '--file', file, '--here', 'beta', '--level', 'L2'], '--level cannot be combined'],
    [['up', '--protocol', 'raft', '--here', 'beta'], 'give the file with --file'],
    [['attack', '--file', file, '--here', 'beta'], 'attack starts a cluster of its own'],
    [['entry', '--here', 'alpha'], 'entry needs --identity and --url; give both'],
    [entering('127.0.0.1:1'), '--url must be http://host:port or https://host:port'],
    [entering('http://h:1', '--here', 'a b'), '--here must be letters, digits, dots and hyphens'],
    [entering('http://h:1', '--listen', 'h:1'), 'entry needs --here beside --listen'],
    [['file', ...RUN], 'file needs the entries of the nodes'],
    [['peers'], 'peers needs the entries of the nodes'],
    [['peers', '--file', file, 'node-1.json'], 'give peers either entries or --file'],
    [['peers', '--file', file, '--c1', '3'], '--c1 cannot be combined with --file'],
    [
      ['peers', file],
      `${file}: this is not a file of usurp cluster entry: /url must be an address`,
    ],
  ])('refuses %j', async (args, message) => {
    const printed = await usurp(['cluster', ...args]);

    expect(printed.stderr).toContain(message);
    expect(printed.code).toBe(254);
  });

  it('refuses a wrong file with the pointer of its first fault', async () => {
    const wrong = join(folder, 'wrong.json');
    const document = JSON.parse(readFileSync(file, 'utf8'));
    document.nodes[1].machine = 'the left one';
    writeFileSync(wrong, JSON.stringify(document));

    const printed = await usurp(['cluster', 'up', '--file', wrong, '--here', 'alpha']);

    expect(printed.stderr).toContain('/nodes/1/machine must be letters, digits, dots and hyphens');
    expect(printed.code).toBe(254);
  });

  it('refuses a key that is longer than any key file, and reads no more of it', async () => {
    const wrong = join(folder, 'long.json');
    const document = JSON.parse(readFileSync(file, 'utf8'));
    for (const node of document.nodes) node.key = 'long-key.json';
    writeFileSync(wrong, JSON.stringify(document));
    writeFileSync(join(folder, 'long-key.json'), '');
    // It takes no room on the disk, and more than the memory if all of it is read.
    truncateSync(join(folder, 'long-key.json'), 2 ** 40);

    const printed = await usurp(['cluster', 'up', '--file', wrong, '--here', 'alpha']);

    expect(printed.stderr).toContain('long-key.json, the key of node 1, is longer than a key file');
    expect(printed.code).toBe(254);
  });
});

describe('a peers file', () => {
  const key = (number: number) => ['--identity', join(folder, `key-${number}.json`)];
  const entry = async (number: number, url: string, policy = {}) => {
    const { stdout } = await usurp(['cluster', 'entry', ...key(number), '--url', url]);
    const path = join(folder, `entry-${number}.json`);
    writeFileSync(path, JSON.stringify({ ...JSON.parse(stdout), policy }));
    return path;
  };
  const URL = 'http://127.0.0.1:7001';

  it('is made from entries of keys, or from the file of a cluster', async () => {
    const entries = [await entry(2, URL), await entry(1, 'http://127.0.0.1:7002')];

    const made = await usurp(['cluster', 'peers', ...entries, '--election', 'demo']);
    const ofCluster = await usurp(['cluster', 'peers', '--file', file]);

    const { election, policy, peers, ring } = parsePeers(made.stdout);
    expect({ election, policy }).toEqual({ election: 'demo', policy: STRICT_POLICY });
    const inFile = ring.map((position) => peers[position - 1]?.url);
    expect(inFile).toEqual([URL, 'http://127.0.0.1:7002']);
    expect(made.stdout).not.toContain('secret');
    expect(ofCluster.stdout).toBe(parseCluster(readFileSync(file, 'utf8')).peers);
  });

  it('has the one policy of all keys, with the difficulty of --c1 and --c2', async () => {
    const other = 'http://127.0.0.1:7002';
    const entries = [await entry(1, URL, { c1: 24 }), await entry(2, other, { c1: 23 })];
    const peers = (...more: string[]) => usurp(['cluster', 'peers', ...entries, ...more]);

    const [different, refused, fitting] = [
      await peers(),
      await peers('--c1', '22'),
      await peers('--c1', '0'),
    ];
    await entry(2, other, { epoch: 3 });
    const later = await peers('--c1', '0');

    expect(different.stderr).toContain('entry-2.json have different c1; give --c1 with the bits');
    expect(refused.stderr).toContain('the policy refuses the claim of peer 1');
    expect(parsePeers(fitting.stdout).policy).toEqual(STRICT_POLICY);
    expect(later.stderr).toContain('have different epoch; make all keys under one policy');
  });

  it.each([
    [['--c1', '22'], 'pow.insufficient; mine a new key with usurp mine --c1 22'],
    [['--c2', '22'], 'pow.insufficient; make it again with usurp claim'],
    [
      ['--c1', '22', '--c2', '1'],
      'make it again with usurp claim, or if the key lacks static work, mine a new key with usurp mine --c1 22',
    ],
  ])('says how to make claims that %j demands', async (bits, advice) => {
    const made = await usurp(['cluster', 'peers', await entry(1, URL), ...bits]);

    expect(made.stderr.replaceAll(/\s+/g, ' ')).toContain(advice);
    expect(made.code).toBe(254);
  });

  it('gives each node another address', async () => {
    const [first, second] = [await entry(1, URL), await entry(2, URL)];
    const printed = await usurp(['cluster', 'peers', first, second]);
    const twice = await usurp(['cluster', 'peers', first, first]);

    expect(printed.stderr.replaceAll(/\s+/g, ' ')).toContain(
      `${first} and ${second} have the same address ${URL}; make one of them with another --url`,
    );
    expect(twice.stderr).toContain('are of the same key');
    expect([printed.code, twice.code]).toEqual([254, 254]);
  });

  it('is no key of a node', async () => {
    const path = await entry(1, URL);
    const node = ['node', '--identity', path, '--peers', path, '--protocol', 'raft'];

    const printed = await usurp(node);

    expect(printed.stderr).toContain('is an entry of usurp cluster entry, which has no secret');
    expect(printed.code).toBe(254);
  });

  it('needs the machine of each entry for the file of a cluster', async () => {
    const printed = await usurp(['cluster', 'file', await entry(1, URL), ...RUN]);

    expect(printed.stderr).toContain('entry-1.json names no machine; make it with entry --here');
  });
});

describe('docs/live.md', () => {
  const live = readDocuments().find(({ path }) => path === 'docs/live.md');
  const textOf = (name: string) => {
    const step = live?.steps.find((each) => each.type === 'file' && each.file === name);
    return step?.type === 'file' ? step.text : '';
  };

  it('shows a cluster file that is complete but for the claims', () => {
    const document = JSON.parse(textOf('cluster.json'));
    for (const [index, node] of document.nodes.entries()) node.claim = testKey(index + 1).claim;

    const { settings, nodes } = parseCluster(JSON.stringify(document));

    expect(settings).toMatchObject({ protocol: 'raft', nodes: 3, tls: true });
    expect(nodes).toHaveLength(3);
  });

  it('shows containers whose commands start the nodes of one machine each', () => {
    const { services } = parse(textOf('compose.yaml'));

    for (const [name, { command, build, volumes }] of Object.entries<Service>(services)) {
      expect(command).toEqual(['cluster', 'up', '--file', 'cluster.json', '--here', name]);
      expect(build.dockerfile).toBe('Containerfile');
      expect(volumes.map((volume) => volume.split(':')[1])).toEqual([
        '/cluster/cluster.json',
        `/cluster/${name}`,
      ]);
    }
    expect(textOf('Containerfile')).toContain('ENTRYPOINT ["node", "/usurp/bin/usurp.js"]');
    expect(existsSync(join(ROOT, 'bin/usurp.js'))).toBe(true);
  });
});

interface Service {
  readonly command: readonly string[];
  readonly build: { readonly dockerfile: string };
  readonly volumes: readonly string[];
}

/** The leader and the nodes of each agreement. */
function leaders(stdout: string): string[] {
  const agreements = stdout.matchAll(/^leader (\d) of nodes ([\d, ]+) after/gm);
  return [...agreements].map(([, leader, nodes]) => `${leader} of ${nodes}`);
}
