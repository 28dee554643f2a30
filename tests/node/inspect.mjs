// The MCP Inspector's CLI, for several command lines in one process: reads them as JSON from stdin,
// writes what each found as JSON to stdout. It ends at the first that fails, as the Inspector does.
import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const CLI = '@modelcontextprotocol/inspector/clients/cli/build/index.js';
const { runCli, handleError } = await import(import.meta.resolve(`./node_modules/${CLI}`));

const folder = await mkdtemp(join(process.env.HOME, 'inspected-'));
const found = [];
for (const words of JSON.parse(await text(process.stdin))) {
  const file = join(folder, `${found.length}.json`);
  try {
    await runCli([process.execPath, 'inspector', ...words, '--quiet', '--output', file]);
  } catch (error) {
    console.error(words.join(' '));
    await handleError(error);
  }
  found.push(JSON.parse(await readFile(file, 'utf8')));
}
console.log(JSON.stringify(found));
