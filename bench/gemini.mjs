// Answers on standard output, line by line, what it is asked on standard input:
// {"load": {name: [rule...]}} | {"engine": name, "commands": [...]} -> {"decisions": [...], "seconds": per call}
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

const decide = async ({ engine, tool, argument, values }) => {
  const calls = values.map((value) => ({ name: tool, args: { [argument]: value } }));
  const decisions = [];
  const start = performance.now();
  for (const call of calls) decisions.push((await engines[engine].check(call)).decision);
  return { seconds: (performance.now() - start) / 1000 / calls.length, decisions };
};

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  console.log(JSON.stringify(request.load ? load(request.load) : await decide(request)));
}
