/**
 * @module
 * This folder contains the start page.
 */

export function View() {
  return <h1>A leader election, and what it costs to take it</h1>;
}
