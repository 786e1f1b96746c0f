// How much JavaScript the first route loads, gzipped; more than the budget fails the build.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const BUDGET = 170_000;
const dist = new URL("../dist/", import.meta.url);
const read = (path) => readFileSync(new URL(path, dist));

const page = read("index.html").toString();
const first = [...page.matchAll(/(?:src|href)="\.\/([^"]+\.js)"/g)].map((match) => match[1]);
const sizes = first.map((path) => [path, gzipSync(read(path)).length]);
const total = sizes.reduce((sum, [, size]) => sum + size, 0);

for (const [path, size] of sizes) process.stdout.write(`${String(size).padStart(8)}  ${path}\n`);
process.stdout.write(`${String(total).padStart(8)}  first route, gzipped; the budget is ${BUDGET}\n`);
if (first.length === 0 || total > BUDGET) process.exit(1);
