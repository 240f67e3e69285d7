/**
 * @module
 * The package from npm: it is small, needs no other package, and everything that a checkout can do works from its folder
 * under node_modules: threads, files of the user, processes, the server with its pages, and the sandbox.
 */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';

import { codeVersion } from '../../src/runtime/files/code-version.ts';
import { ROOT } from '../cli/shell.ts';
import { applyChange, masked, readDocuments } from '../documents/markdown.ts';
import { freePort, HAS_REDIS, startRedis } from '../redis-server.ts';
import { NO_SANDBOX } from '../runtime/sandbox/judged-files.ts';
import { healthCheck, INSTRUCTIONS, SERVICES, startService } from './container.ts';
import { PAGE, reported } from './library-page.ts';
import type { Installed } from './package.ts';
import { commandOf, inShell, installPackage, PACKING_MS_MAX, textOf } from './package.ts';

let installed: Installed;
const usurp = (line: string) => inShell(installed, `npx usurp ${line}`);

beforeAll(() => {
  installed = installPackage();
  const examples = join(installed.project, 'examples');
  cpSync(join(ROOT, 'examples', 'library'), examples, { recursive: true });
  usurp('new protocol my-ring');
  cpSync(join(installed.project, 'my-ring.ts'), join(examples, 'my-ring.ts'));
  writeFileSync(join(examples, 'package.json'), '{"type":"module"}');
}, PACKING_MS_MAX);

describe('the package', () => {
  it('is small', () => {
    expect(installed.files.length).toBeLessThanOrEqual(600);
    expect(installed.bytes).toBeLessThan(8 * 2 ** 20);
  });

  it('has neither sources, tests nor solutions of exercises', () => {
    const wanted =
      /^(package\.json|tsconfig\.json|README\.md|LICENSE|bin\/usurp\.js|build\/|docs\/glossary\.md|examples\/|threat-models\/|papers\/|exercises\/|server\/contract\/openapi\/reference\.css$)/;

    expect(installed.files.filter((file) => !wanted.test(file))).toEqual([]);
    expect(installed.files.filter((file) => /solution\.|wrong-/.test(file))).toEqual([]);
  });

  it('needs no other package', () => {
    const lock = JSON.parse(readFileSync(join(installed.project, 'package-lock.json'), 'utf8'));

    expect(Object.keys(lock.packages)).toEqual(['', 'node_modules/usurp']);
  });

  it('has the version of the code that it was made from, so that fleets can mix both', () => {
    const digest = readFileSync(
      join(installed.project, 'node_modules/usurp/build/package/sources-digest.txt'),
      'utf8',
    );

    expect(codeVersion()).toMatch(new RegExp(`\\+${digest}$`));
  });

  it('has a README whose links lead to files in it', () => {
    const folder = join(installed.project, 'node_modules/usurp');
    const text = readFileSync(join(folder, 'README.md'), 'utf8');
    const links = [...text.matchAll(/\]\(([^)#\s]+)/g)].flatMap(([, link = '']) => link);

    expect(text).toContain('The documents are pages in `build/docs/docs`');
    expect(links.length).toBeGreaterThan(15);
    expect(
      links.filter((link) => !/^https?:/.test(link) && !existsSync(join(folder, link))),
    ).toEqual([]);
  });

  it('writes the lab that needs no server', () => {
    const { stderr, stdout } = inShell(installed, 'npx usurp lab --static public');

    expect(stderr).toMatch(/^\d+ files, [\d.]+ MB; try them: /);
    expect(stdout).toBe('public/index.html\n');
    expect(existsSync(join(installed.project, 'public/thread/lab-thread.js'))).toBe(true);
  });

  it('names the licences of the packages in it', () => {
    const text = readFileSync(
      join(installed.project, 'node_modules/usurp/build/package/LICENSES.txt'),
      'utf8',
    );

    expect(text).toMatch(/^bullmq [\d.]+ \(MIT\)$/m);
    expect(text).toMatch(/^prom-client [\d.]+ \(Apache-2\.0\)$/m);
  });
});

describe('the library', () => {
  it('declares what docs/library.md lists', () => {
    const page = textOf(PAGE);
    const present = reported(page);

    if (process.env.RECORD !== undefined) writeFileSync(join(ROOT, PAGE), present);
    else expect(present).toBe(page);
  });

  it.each([
    ['earn-identity', '9fba961b548c9b4d16573021e9dfd0d7e15b66ff86ef69fecde8be02600e670b took 6813'],
    ['run-election', 'node 4 leads after 19 messages\ntrue: all 4 live nodes follow 4'],
    ['check-protocol', 'exhausted after 76 worlds'],
    [
      'run-threat-model',
      'False: the expectation does not hold, as the adversary with 640 attempts',
    ],
  ])('runs the example %s', (name, expected) => {
    const { stdout, stderr } = inShell(installed, `cd examples && node ${name}.mjs`);

    expect(stderr).toBe('');
    expect(stdout).toContain(expected);
  });
});

describe('an error of the library', () => {
  it('is printed with one short line of code', () => {
    const line =
      "import { elect } from 'usurp/simulation'; await elect({ protocol: 'nosuch', nodes: 3 })";
    const { stderr, status } = inShell(installed, `node --input-type=module -e "${line}"`);

    expect(status).toBe(1);
    expect(stderr).toContain('LabError');
    expect(stderr.length).toBeLessThan(4_000);
  });
});

describe('the tour of the README', () => {
  const steps = readDocuments().find(({ path }) => path === 'README.md')?.steps ?? [];

  it.each(
    steps.map(
      (step) =>
        [step.type === 'command' ? step.command : `${step.type} ${step.file}`, step] as const,
    ),
  )('%s', (_title, step) => {
    if (step.type === 'command') {
      expect(masked(inShell(installed, step.command).stdout)).toBe(masked(step.shown));
      return;
    }
    const path = join(installed.project, step.file);
    const text =
      step.type === 'file' ? step.text : applyChange(readFileSync(path, 'utf8'), step.text);
    writeFileSync(path, text);
  });
});

describe('a file of the user', () => {
  it('is written, checked, tested and used in threads', () => {
    expect(usurp('conform ./my-ring.ts --quiet').stdout).toContain('./my-ring.test.ts passes');
    expect(usurp('elect --load ./my-ring.ts my-ring --nodes 5 --seed 1').stdout).toMatch(
      /^leader +5 /,
    );
    const run = 'run top-id --load ./my-ring.ts --runs 20 --seed 1 --threads 2';
    expect(usurp(run)).toMatchObject({ status: 2, stderr: expect.not.stringContaining('Warning') });
  });
});

describe('a file below node_modules', () => {
  it('is loaded in all threads, such as the examples of the package', () => {
    const file = 'node_modules/usurp/examples/definitions/example-protocol.ts';
    const run = `run top-id --load ${file} --runs 20 --seed 1 --threads 2`;

    expect(usurp(`elect --load ${file} example-protocol --nodes 5 --seed 1`).status).toBe(0);
    expect(usurp(run)).toMatchObject({ status: 2, stderr: expect.not.stringContaining('Warning') });
  });
});

describe('the server', () => {
  it('serves the lab, the documents, the problems and the reference, and runs jobs in threads', async () => {
    const child = spawn(process.execPath, [commandOf(installed), 'serve', '--port', '0'], {
      cwd: installed.project,
    });
    try {
      const [line] = await once(child.stdout, 'data');
      const url = String(line).trim();
      const get = async (path: string) => (await fetch(url + path, HTML)).text();

      const played = inShell(installed, `node examples/play-node.mjs ${url}`);
      expect(played.stdout).toBe('played node 5; all follow node 5\n');
      expect(await get('/')).toContain('<script type="module"');
      expect(await get('/docs/http')).toContain('<h1');
      expect(await get('/problems/not_found')).toContain('HTTP status');
      expect(await get('/reference')).toContain('<style');
      const body = JSON.stringify({ protocol: 'bully-oneshot', nodes: 3 });
      const asked = await fetch(`${url}/v1/checks`, { method: 'POST', body, ...JSON_BODY });
      const job = `${url}${asked.headers.get('Location')}`;
      const answer = async () => (await fetch(job)).text();
      await expect.poll(answer, { timeout: 60_000 }).toContain('"status":"done"');
    } finally {
      child.kill();
      await once(child, 'exit');
    }
  });
});

const HTML = { headers: { accept: 'text/html' } };
const JSON_BODY = { headers: { 'content-type': 'application/json' } };

describe("what helps to find one's way", () => {
  it('is the first output, and an examination of the machine', () => {
    expect(usurp('').stdout).toContain('npx usurp run top-id ');
    expect(usurp('version').stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    const doctor = usurp('doctor --json');
    expect(doctor.status).toBe(0);
    expect(JSON.parse(doctor.stdout)).toMatchObject({ isReady: true });
  });

  it.skipIf(spawnSync('bash', ['--version']).status !== 0)('completes names in bash', () => {
    const script = `usurp() { node_modules/.bin/usurp "$@"; }
      eval "$(usurp completion bash)"
      COMP_WORDBREAKS=$' \\t\\n='
      COMP_WORDS=(usurp mine --policy st); COMP_CWORD=3; _usurp; echo "\${COMPREPLY[@]}"
      COMP_WORDBREAKS+=:
      COMP_WORDS=(usurp elect ring-robust : pet); COMP_CWORD=4; _usurp; echo "\${COMPREPLY[@]}"
      COMP_WORDS=(usurp elect ring-robust :); COMP_CWORD=3; _usurp; echo "\${COMPREPLY[0]}"
      COMP_WORDS=(usurp mine --scheme = s); COMP_CWORD=4; _usurp; echo "\${COMPREPLY[@]}"`;
    writeFileSync(join(installed.project, 'complete.sh'), script);
    const { stdout } = inShell(installed, 'bash complete.sh');

    expect(stdout).toBe('strict storj\npeterson\npeterson\nsecp256k1\n');
  });

  // `_describe` takes the name of a list whose members have a name, a colon and a meaning.
  it.skipIf(spawnSync('zsh', ['--version']).status !== 0)('completes names in zsh', () => {
    const script = `usurp() { node_modules/.bin/usurp "$@"; }
      compdef() { :; }; _files() { print files; }; _describe() { print -l -- "\${(@P)2}"; }
      eval "$(usurp completion zsh)"
      words=(usurp mine --policy st); CURRENT=4; _usurp
      words=(usurp mine --out k); CURRENT=4; _usurp
      words=(usurp verif); CURRENT=2; _usurp
      # As a file in a folder of fpath, which zsh reads at the first call.
      mkdir -p functions; usurp completion zsh > functions/_usurp; unfunction _usurp
      fpath=(./functions $fpath); autoload -Uz _usurp
      words=(usurp verif); CURRENT=2; _usurp; _usurp`;
    writeFileSync(join(installed.project, 'complete.zsh'), script);
    const { stdout } = inShell(installed, 'zsh -f complete.zsh');

    expect(stdout).toMatch(
      /^strict\b.*\nstorj\b.*\nfiles\n(?:verify:check claims against a policy\n){3}$/,
    );
  });

  it.skipIf(spawnSync('fish', ['--version']).status !== 0)('completes names in fish', () => {
    const script = `function usurp; node_modules/.bin/usurp $argv; end
      usurp completion fish | source
      complete -C 'usurp mine --policy st'
      complete -C 'usurp verif'`;
    writeFileSync(join(installed.project, 'complete.fish'), script);
    const { stdout } = inShell(installed, 'fish --no-config complete.fish');

    expect(stdout).toMatch(/^storj\b.*\nstrict\b.*\nverify\tcheck claims against a policy\n$/);
  });
});

describe('the container', () => {
  it('runs without rights and writes only to its volume', () => {
    expect(INSTRUCTIONS.get('USER')).toBe('node');
    expect(INSTRUCTIONS.get('VOLUME')).toBe(INSTRUCTIONS.get('WORKDIR'));
    expect(JSON.parse(INSTRUCTIONS.get('ENTRYPOINT') ?? '')).toEqual(['usurp']);
    for (const service of Object.values(SERVICES)) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    }
  });

  it.each(['the first time', 'again'])('serves a class, and is healthy: %s', async () => {
    const port = await freePort();
    const volume = join(installed.project, '..', 'volume');
    mkdirSync(volume, { recursive: true });
    const { server } = SERVICES;
    if (server === undefined) throw new Error('compose.yaml has no server');
    const words = {
      '/etc/usurp/': `${ROOT}/examples/container/`,
      '0.0.0.0': '127.0.0.1',
    };
    const child = startService(
      installed,
      { ...server, command: [...server.command, `--port=${port}`] },
      { volume, words },
    );
    try {
      await once(child.stdout, 'data');
      const [program = '', ...args] = healthCheck(port);
      expect(spawnSync(program === 'node' ? process.execPath : program, args).status).toBe(0);
      expect(readFileSync(join(volume, 'codes.csv'), 'utf8')).toContain('ann');
    } finally {
      child.kill();
      await once(child, 'exit');
    }
  });

  it.skipIf(!HAS_REDIS)('has workers that wait for sweeps', async () => {
    const redis = await startRedis({ log: false });
    const { worker } = SERVICES;
    if (worker === undefined) throw new Error('compose.yaml has no worker');
    const words = { 'redis://redis:6379': redis.url };
    const child = startService(installed, worker, { volume: installed.project, words });
    try {
      const [line] = await once(child.stderr, 'data');
      expect(String(line)).toContain('ready: ');
    } finally {
      child.kill();
      await once(child, 'exit');
      await redis.close();
    }
  });
});

describe('other processes', () => {
  it('are found: live nodes', () => {
    const up = 'cluster up --protocol bully-oneshot --latency 150ms --quiet </dev/null';

    expect(usurp(up)).toMatchObject({ stderr: '', status: 0 });
  });

  it.skipIf(NO_SANDBOX)('are found: the sandbox', () => {
    const folder = join(installed.project, 'handed in');
    mkdirSync(folder);
    const exercise = 'survive-stalling';
    writeFileSync(join(folder, `${exercise}.ts`), textOf(`exercises/${exercise}/solution.ts`));
    writeFileSync(join(installed.project, 'secret'), '07'.repeat(32), { mode: 0o600 });
    const grade = `grade 'handed in' --student ada --exercise ${exercise} --course-secret secret --out grades`;

    expect(usurp(grade).stdout).toMatch(/^ada +survive-stalling +correct/m);
  });
});
