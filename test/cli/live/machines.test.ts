/**
 * @module
 * A cluster on several machines: two controllers of one file, each with its own keys, form one cluster on 127.0.0.1.
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseCluster } from '../../../src/runtime/live/cluster/cluster-document.ts';
import { freePorts } from '../../../src/runtime/stores/own-store.ts';
import { readDocuments } from '../../documents/markdown.ts';
import { testKey, writeKey } from '../../runtime/live/network.ts';
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

    const faults = ['kill 3', 'pause leader', 'partition 3', 'wait', 'heal', 'wait'];
    const alpha = await usurp(up('alpha'), ['wait', SETTLED, ...faults].join('\n'));
    beta.stdin.end('wait\n');
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
    [['entry', '--here', 'alpha'], 'entry needs --identity, --url and --here'],
    [['file', ...RUN], 'file needs the entries of the nodes'],
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
        '/cluster/keys',
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
