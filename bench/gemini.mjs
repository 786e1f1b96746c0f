// Answers on standard output, line by line, what it is asked on standard input:
//   {"load": {name: [rule, ...]}}                 -> {"loaded": [name]}
//   {"engine": name, "tool", "argument", "values"} -> {"decisions": [...], "seconds": for one call}
import { createInterface } from 'node:readline';

console.debug = () => {}; // the engine explains itself at every step
const { PolicyEngine } = await import('@google/gemini-cli-core/dist/src/policy/policy-engine.js');
const engines = {};

const load = (policies) => {
  for (const [name, rules] of Object.entries(policies)) {
    const compiled = rules.map((rule) => ({ ...rule, argsPattern: new RegExp(rule.argsPattern) }));
    engines[name] = new PolicyEngine({ rules: compiled });
  }
  return { loaded: Object.keys(policies) };
};

// Processor time of this thread where node can tell, as on our side of the pipe.
const seconds = () => {
  const used = process.threadCpuUsage?.();
  return used ? (used.user + used.system) / 1e6 : performance.now() / 1e3;
};

const decide = async ({ engine, tool, argument, values }) => {
  const calls = values.map((value) => ({ name: tool, args: { [argument]: value } }));
  const decisions = [];
  const start = seconds();
  for (const call of calls) decisions.push((await engines[engine].check(call)).decision);
  return { seconds: (seconds() - start) / calls.length, decisions };
};

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  console.log(JSON.stringify(request.load ? load(request.load) : await decide(request)));
}
