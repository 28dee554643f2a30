// One visit to an MCP server with an official TypeScript SDK: reads what to do as JSON from stdin,
// writes what came of it as JSON to stdout. `handshake` is the SDK of the eras with `initialize`,
// `current` that of 2026-07-28.
import { text } from 'node:stream/consumers';

const SDKS = {
  handshake: async () => ({
    ...(await import('@modelcontextprotocol/sdk/client/index.js')),
    ...(await import('@modelcontextprotocol/sdk/client/stdio.js')),
    ...(await import('@modelcontextprotocol/sdk/client/streamableHttp.js')),
  }),
  current: async () => ({
    ...(await import('@modelcontextprotocol/client')),
    ...(await import('@modelcontextprotocol/client/stdio')),
  }),
};

const { door, visit } = JSON.parse(await text(process.stdin));
const era = process.argv[2];
const sdk = await SDKS[era]();
const options = era === 'current' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {};
const client = new sdk.Client({ name: 'hippod-tests', version: '1.0.0' }, options);
const transport = door.url
  ? new sdk.StreamableHTTPClientTransport(new URL(door.url), { requestInit: { headers: door.headers } })
  : new sdk.StdioClientTransport({ command: door.command[0], args: door.command.slice(1), env: door.environ });

await client.connect(transport);
const report = {
  version: client.getNegotiatedProtocolVersion?.() ?? 'handshake',
  tools: (await client.listTools()).tools,
  resources: (await client.listResources()).resources,
  templates: (await client.listResourceTemplates()).resourceTemplates,
  prompts: (await client.listPrompts()).prompts,
  results: [],
  contents: [],
  messages: [],
};
for (const [name, args] of visit.calls) report.results.push(await client.callTool({ name, arguments: args }));
for (const uri of visit.reads) report.contents.push(...(await client.readResource({ uri })).contents);
for (const [name, args] of visit.prompts)
  report.messages.push(...(await client.getPrompt({ name, arguments: args })).messages);
await client.close();
console.log(JSON.stringify(report));
