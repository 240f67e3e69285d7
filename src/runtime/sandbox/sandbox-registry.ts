/**
 * @module
 * Stands in the sandbox in the place of src/election/registry.ts, and is therefore loaded from that folder. It lists the
 * protocol that the arguments of the process name, after the submitted file: its name, and its file. Without
 * them it lists none.
 */

import process from 'node:process';

const [name = '', file = ''] = process.argv.slice(3);
const exported: object = name === '' ? {} : await import(`./${file}`);
const listed = Object.values(exported)
  .filter((value) => value?.name === name)
  .map((value) => [name, value] as const);

/** The protocol, by its name. Another name is refused: undefined would lead a submission to a riddle. */
export const PROTOCOLS: Readonly<Record<string, unknown>> = new Proxy(Object.fromEntries(listed), {
  get(target, key) {
    if (typeof key === 'symbol' || Object.hasOwn(target, key)) return Reflect.get(target, key);
    const other = name === '' ? 'no protocol' : `no protocol but ${name}`;
    throw new RangeError(
      `PROTOCOLS of 'usurp' has ${other} here, and not ${JSON.stringify(key)}: a submission must be your own work`,
    );
  },
});
