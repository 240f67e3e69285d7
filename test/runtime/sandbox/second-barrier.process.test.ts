/**
 * @module
 * What a submission tries to get more than the language and 'usurp': a second loader, a second realm, a binding of Node, a
 * clock, chance, data of the machine, or a place in the code of Node. Each row is a file of a submission. Its fault is a
 * fixed text, so that no report has a byte that differs from run to run or from machine to machine.
 */

import { beforeAll, describe, expect, it } from 'vitest';
import {
  describeJudged,
  heldInSandbox,
  judge,
  NO_SANDBOX,
  SECONDS,
  summary,
} from './judged-files.ts';

/** Takes the loader of CommonJS, and imports a module of Node by it. */
const LOADER = `module.constructor.registerHooks({
  resolve: (name, context, next) =>
    name.startsWith('zz:') ? { url: name.slice(3), shortCircuit: true } : next(name, context),
});
exports.got = require('zz:node:os').release();`;

/** Has `load`, which lets Node copy an error whose copy is made by a module of Node. */
const CLONING_LOADER = `let refusal;
try { structuredClone(Symbol()); } catch (error) { refusal = error; }
if (refusal instanceof ReferenceError) throw refusal;
const Refusal = refusal.constructor;
const method = Object.getOwnPropertySymbols(Refusal.prototype).find((each) => String(each).includes('clone'));
const load = (deserializeInfo, data) => {
  const value = () => ({ data, deserializeInfo });
  return structuredClone(Object.defineProperty(new Refusal('m'), method, { value }));
};
`;

/**
 * Follows all that a submission reaches: its globals, 'usurp', and the errors that each global function and the loader
 * throw. Exports the symbols that are none of the language, and the classes that are none of the language or of usurp.
 */
const REACHED = `import * as usurp from 'usurp';
const texts = ['./none.ts', './', './a%2fb.js', 'zz:x', 'node:os', './data.json', './code.wasm', './folder/named.js'];
// A timer would keep the process alive.
const functions = Reflect.ownKeys(globalThis).map((key) => globalThis[key])
  .filter((each) => typeof each === 'function' && each !== globalThis.setTimeout);
const calls = [
  ...functions.flatMap((each) => [Symbol(), () => undefined, 1n].map((given) => () => each(given))),
  ...texts.map((text) => () => import(text)),
  ...texts.map((text) => () => import(text, { with: { type: 'css' } })),
  ...texts.map((text) => () => import.meta.resolve(text)),
  ...[Symbol(), null, {}].map((text) => () => import.meta.resolve(text)),
  ...[() => import(Symbol()), () => decodeURI('%'), () => JSON.parse('{'), () => JSON.stringify(1n)],
  ...[() => eval('('), () => Function('('), () => new RegExp('('), () => null.x, () => 'x'.repeat(2 ** 30)],
  ...[() => (1).toLocaleString('a'), () => new Date(NaN).toISOString(), () => Date.now()],
  ...[() => console.log(Symbol()), () => Promise.any([]), () => new DisposableStack().move().use(1)],
  ...[() => Reflect.construct(Iterator, []), () => new Proxy({}, null), () => BigInt(0.5), () => new Array(-1)],
];
const errors = [];
for (const call of calls) {
  try { await call(); } catch (error) { errors.push(error); }
}
const found = new Set([globalThis, usurp, import.meta, ...errors]);
const symbols = new Set();
for (const each of found) {
  if (each === null || (typeof each !== 'object' && typeof each !== 'function')) continue;
  found.add(Object.getPrototypeOf(each));
  for (const key of Reflect.ownKeys(each)) {
    if (typeof key === 'symbol') symbols.add(key);
    const { get, set, value } = Object.getOwnPropertyDescriptor(each, key) ?? {};
    found.add(get).add(set).add(value);
  }
}
const globals = new Set(Reflect.ownKeys(globalThis).map((key) => globalThis[key]));
const known = new Set(Reflect.ownKeys(Symbol).map((key) => Symbol[key]));
const isClass = (each) => {
  if (typeof each !== 'function' || !Object.hasOwn(each, 'prototype')) return false;
  const text = Function.prototype.toString.call(each);
  return text.startsWith('class') || text.includes('native code');
};
export const got = JSON.stringify({
  symbols: [...symbols].filter((each) => !known.has(each)).map(String),
  classes: [...found].filter((each) => isClass(each) && !globals.has(each)).map(({ name }) => name),
});`;

/** Other files of the submission, by path. */
const FILES: Readonly<Record<string, string>> = {
  'loader.ts': LOADER,
  'loader.js': LOADER,
  'loader.cjs': LOADER,
  'folder/package.json': '{ "type": "commonjs", "imports": { "#os": "node:os" } }',
  'folder/loader.js': LOADER,
  'folder/named.js': `import { release } from '#os';\nexport const got = release();`,
  'addon.node': '',
  'code.wasm': '\0asm\u0001\0\0\0',
  'data.json': '{ "a": 1 }',
};

const imported = (specifier: string, more = '') =>
  `const all = await import(${JSON.stringify(specifier)}${more});\nexport const got = Object.keys(all);`;
const value = (expression: string) => `export const got = String(${expression});`;
const done = (code: string) => `${code};\nexport const got = 'done';`;

const CONFINED = "a submission may import only 'usurp' and files beside it, and imports";
const ENDINGS = 'a submission may import only files with the endings';
const TIMELESS = 'the definition calls';

type Row = readonly [text: string, fault: string | RegExp];
const gone = (name: string, member = ''): Row => [value(name + member), `${name} is not defined`];

const ROWS: Readonly<Record<string, Row>> = {
  // CommonJS, whose modules have the loader
  'CommonJS in a .ts file': [imported('./loader.ts'), 'module is not defined'],
  'CommonJS in a .js file': [imported('./loader.js'), 'module is not defined'],
  'CommonJS by a package.json': [imported('./folder/loader.js'), 'module is not defined'],
  'a .cjs file': [imported('./loader.cjs'), ENDINGS],
  'require.main': gone('require', '.main'),
  'the constructor of a module': gone('module', '.constructor._load("os")'),
  'the arguments of a module': gone('arguments', '[1]("os")'),
  'a require of TypeScript': [`import os = require('node:os');`, 'import equals declaration'],
  // other loaders
  'an import at the top': [`import { release } from 'node:os';\n${value('release()')}`, CONFINED],
  'node:vm': [imported('node:vm'), CONFINED],
  'node:module': [imported('module'), CONFINED],
  'node:worker_threads': [imported('node:worker_threads'), CONFINED],
  'a builtin by an attribute': [imported('node:os', `, { with: { type: 'json' } }`), CONFINED],
  'a name of package.json': [imported('./folder/named.js'), CONFINED],
  'import.meta.resolve': [value(`import.meta.resolve('node:os')`), CONFINED],
  // Errors of a native clone have a class whose objects can name a module of Node that makes their copies.
  'the loader of a clone, by the class of its errors': [
    `${CLONING_LOADER}export const got = Object.keys(load('internal/fs/promises:FileHandle', { handle: { fd: 3 } }));`,
    'structuredClone is not defined',
  ],
  'a clock by the loader of a clone': [
    `${CLONING_LOADER}const file = load('internal/fs/promises:FileHandle', { handle: { fd: 4 } });
export const got = (await file.stat()).mtimeMs;`,
    'structuredClone is not defined',
  ],
  'files by the loader of a clone': [
    `${CLONING_LOADER}const file = load('internal/fs/promises:FileHandle', { handle: { fd: 3 } });
const stream = new (file.createReadStream().constructor)('/usurp/src/errors.ts');
export const got = await new Promise((read) => stream.on('data', read));`,
    'structuredClone is not defined',
  ],
  'memory by the loader of a clone': [
    `${CLONING_LOADER}const Blob = load('internal/blob:Blob', { type: '', length: 0 }).constructor;
export const got = await new Blob(['a']).bytes();`,
    'structuredClone is not defined',
  ],
  'a clone of a function': gone('structuredClone', '(() => undefined)'),
  'an import in eval': [`await (0, eval)('import("node:os")');`, CONFINED],
  'an import in a compiled async function': [
    `await (async () => {}).constructor('return import("node:os")')();`,
    CONFINED,
  ],
  'an import in a compiled generator': [
    `await (function* () {}).constructor('yield import("node:os")')().next().value;`,
    CONFINED,
  ],
  'a name that changes': [
    `let calls = 0;\nawait import({ toString: () => (calls++ === 0 ? './data.json' : 'node:os') });`,
    'needs an import attribute',
  ],
  'a URL with encoded dots': [imported('file:///submission/%2e%2e/usurp/src/errors.ts'), CONFINED],
  'a URL with a backslash': [imported('file:///submission\\..\\usurp\\src\\errors.ts'), CONFINED],
  'a URL in upper case': [imported('FILE:///usurp/src/errors.ts'), CONFINED],
  'a URL of a blob': [imported('blob:nodedata:1'), CONFINED],
  'a URL of the network': [imported('https://example.com/os.js'), CONFINED],
  'usurp/testing': [imported('usurp/testing'), CONFINED],
  'usurp in another form': [imported('usurp', `, { with: { type: 'json' } }`), CONFINED],
  'native code': [imported('./addon.node'), ENDINGS],
  'compiled code': [imported('./code.wasm'), ENDINGS],
  'the source of compiled code': [`import source code from './code.wasm';`, ENDINGS],
  // realms and threads
  'a realm of the language': gone('ShadowRealm'),
  'a thread': gone('Worker'),
  'WebAssembly, which has memory of threads': gone('WebAssembly', '.Memory'),
  // Node by its globals
  'process.binding': gone('process', `.binding('os')`),
  'process._linkedBinding': gone('process', `._linkedBinding('os')`),
  'process.getBuiltinModule': gone('process', `.getBuiltinModule('os')`),
  'process.mainModule': gone('process', '.mainModule'),
  'process.report': gone('process', '.report.getReport().header.host'),
  'process.memoryUsage': gone('process', '.memoryUsage().rss'),
  'process.stdin, which reads files': gone('process', '.stdin.constructor'),
  'process by a sloppy function': [
    value(`new Function('return this')().process.pid`),
    `Cannot read properties of undefined (reading 'pid')`,
  ],
  internalBinding: gone('internalBinding'),
  'a stream of the console': [value('console._stdout.constructor'), 'of undefined'],
  'memory that was used before': gone('Buffer', `.from('a').buffer`),
  'memory outside of the heap': gone('ArrayBuffer', '.prototype'),
  'bytes of the processor': gone('Float64Array', '.of(0 / 0).buffer'),
  'a name by chance': gone('URL', '.createObjectURL(new Blob([]))'),
  'the network': gone('fetch', `('https://example.com')`),
  'the processors': gone('navigator', '.hardwareConcurrency'),
  'the order of collections': gone('WeakRef', '.prototype'),
  'the order of threads': gone('Atomics', '.wait'),
  // clock and chance
  performance: gone('performance', '.now()'),
  'the format of now': gone('Intl', '.DateTimeFormat().format()'),
  'a random ID': gone('crypto', '.randomUUID()'),
  'a later turn': gone('setImmediate'),
  'the constructor of a date': [value('new (new Date(0).constructor)().getTime()'), TIMELESS],
  'the constructor of a copied date': [
    value('new (new Date(new Date(0)).constructor)()'),
    TIMELESS,
  ],
  'a subclass of dates': [value('new (class extends Date {})()'), TIMELESS],
  'a bound date': [value('new (Date.bind(null))()'), TIMELESS],
  'a reflected date': [value('Reflect.construct(Date, [], Array)'), TIMELESS],
  'a called date': [value('Date.call(null)'), TIMELESS],
  'a described Math.random': [
    value(`Object.getOwnPropertyDescriptor(Math, 'random').value()`),
    TIMELESS,
  ],
  // a place in the code of Node or of the lab
  'a Map that answers the hook': [
    `Map.prototype.get = () => 'node:os';\n${imported('usurp')}`,
    `Cannot assign to read only property 'get'`,
  ],
  'a String that answers the hook': [
    `String.prototype.startsWith = () => true;\n${imported('node:os')}`,
    `Cannot assign to read only property 'startsWith'`,
  ],
  'a getter on all objects': [
    done(`Object.defineProperty(Object.prototype, 'format', { get: () => 'builtin' })`),
    'Cannot define property format',
  ],
  'the iterator of lists': [
    done('Object.getPrototypeOf([].values()).next = () => ({ done: true })'),
    `Cannot assign to read only property 'next'`,
  ],
  'the prototype of iterator helpers': [
    done('Object.getPrototypeOf([].values().map(String)).next = 1'),
    `Cannot assign to read only property 'next'`,
  ],
  'the promises of the loader': [
    done('Promise.prototype.then = () => undefined'),
    `Cannot assign to read only property 'then'`,
  ],
  'functions of asynchronous code': [
    done('Object.getPrototypeOf(async () => {}).call = 1'),
    `Cannot assign to read only property 'call'`,
  ],
  'the frames of the stack': [
    done('Error.prepareStackTrace = (_error, frames) => frames'),
    `Cannot assign to read only property 'prepareStackTrace'`,
  ],
  'another Error': [
    done(`Object.defineProperty(globalThis, 'Error', { value: class {} })`),
    'Cannot redefine property: Error',
  ],
  'a method that errors inherit': [
    done('Error.prototype.toString.mark = 1'),
    'Cannot add property mark',
  ],
  'a method that all objects inherit': [
    done('Object.prototype.valueOf.mark = 1'),
    'Cannot add property mark',
  ],
  'a caller': [value('(function f() { return f.caller; })()'), 'may not be accessed'],
  'a global in the place of one of Node': [done('globalThis.URL = class {}'), 'not extensible'],
  'a global of compiled text': [done(`(0, eval)('var process = {}')`), 'not extensible'],
  'a prototype of the global object': [
    done('Object.setPrototypeOf(globalThis, { process: {} })'),
    'not extensible',
  ],
  'another JSON': [done('globalThis.JSON = {}'), `Cannot assign to read only property 'JSON'`],
  'a function of the lab': [
    `import { defineProtocol } from 'usurp';\n${done('defineProtocol.constructor.prototype.call = 1')}`,
    `Cannot assign to read only property 'call'`,
  ],
};

/** What an honest file may do. */
const HONEST = `import data from './data.json' with { type: 'json' };
import { defineProtocol } from 'usurp';
class Mine extends RangeError { constructor(text) { super(text); this.name = 'Mine'; } }
const own = {};
own.toString = () => 'own';
console.log(own);
export const got = [
  new Mine('x').name, own, data.a, typeof defineProtocol, new Date(0).toISOString(), (1234.5).toLocaleString(),
  new Set([1]).union(new Set([2])).size, import.meta.url,
].join(' ');`;

describe.skipIf(NO_SANDBOX !== null)('a file of a submission', { timeout: SECONDS * 1e3 }, () => {
  let found: Readonly<Record<string, string>>;

  beforeAll(async () => {
    const texts = [...Object.values(ROWS).map(([text]) => text), HONEST, REACHED];
    const tried = texts.map((text, index) => [`row-${index}.ts`, text] as const);
    const main = `const found = [];
      for (let row = 0; row < ${texts.length}; row += 1) {
        try { found.push('got ' + (await import('./row-' + row + '.ts')).got); }
        catch (error) { found.push(error.name + ': ' + error.message); }
      }
      export default found;`;
    const report = await heldInSandbox(
      `import '/usurp/src/runtime/load/usurp.ts';
      import { confineImports } from '/usurp/src/runtime/sandbox/confined-imports.ts';
      import { withoutHost } from '/usurp/src/runtime/sandbox/without-host.ts';
      confineImports('file:///submission/');
      withoutHost('the definition');
      report(JSON.stringify((await import('/submission/main.ts')).default));`,
      { files: { ...FILES, ...Object.fromEntries(tried), 'main.ts': main } },
    );
    const names = [...Object.keys(ROWS), 'honest', 'reached'];
    // The code above reports a list of texts.
    const faults = JSON.parse(report) as readonly string[];
    found = Object.fromEntries(names.map((name, index) => [name, faults[index] ?? '']));
  }, SECONDS * 1e3);

  it.each(Object.entries(ROWS))('does not reach %s', (name, [, fault]) => {
    expect(found[name]).toMatch(/^\w*Error: /);
    expect(found[name]).toMatch(fault);
  });

  it('reaches no symbol by which Node copies, moves or loads, and no class of Node', () => {
    // An error of Node has a symbol, which says only that it is one.
    const expected = { symbols: ['Symbol(kIsNodeError)'], classes: ['LabError'] };

    expect(found.reached).toBe(`got ${JSON.stringify(expected)}`);
  });

  it('has the language and usurp', () => {
    const { honest } = found;
    const file = `file:///submission/row-${Object.keys(ROWS).length}.ts`;

    expect(honest).toBe(`got Mine own 1 function 1970-01-01T00:00:00.000Z 1,234.5 2 ${file}`);
  });
});

describeJudged('a report on a file', (judges) => {
  it.each([
    ['that takes the loader of CommonJS', LOADER, 'module is not defined in ES module scope'],
    [
      'that takes the time of a date',
      'throw new Error(String(new (new Date(0).constructor)()))',
      'the definition calls Date; time and chance are events of a driver',
    ],
    [
      'that takes a builtin in the place of usurp',
      `Map.prototype.get = () => 'node:os'; throw new Error((await import('usurp')).uptime());`,
      `Cannot assign to read only property 'get' of object '[object Map]'`,
    ],
  ])('%s has the same bytes on every machine', async (_name, text, fault) => {
    const { points, missing } = summary(await judge(judges(), text));

    const lines = new Set(missing.replaceAll(/submission\.ts:\d+:\d+: /g, '').split('\n'));
    expect({ points, lines: [...lines] }).toEqual({
      points: 0,
      lines: [`the file cannot be loaded: ${fault}`],
    });
  });
});
