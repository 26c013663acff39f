// Opens files with speedscope's own importer and prints its result, one JSON object per file.
// Usage: node speedscope.mjs speedscope.js FILE...
//
// The importer is a module inside the application's bundle, found by a name that it exports. The bundle is run up to
// where the application would draw itself. The duration and peak memory until then are printed too; with --no-calls
// only these and the profiles' names and totals are printed (bench/viewing/run.py).
import {readFileSync} from 'node:fs'
import {basename} from 'node:path'

const bundle = readFileSync(process.argv[2], 'utf8')
const module = bundle.match(/([\w$]+)=\{\};[\w$]+\(\1,\{[^}]*importProfilesFromArrayBuffer:/)[1]
const importer = bundle.match(new RegExp(`\\([\\w$]+\\(\\),${module.replaceAll('$', '\\$')}\\)`))[0]
const start = bundle.lastIndexOf('console.log(`speedscope v')
const anything = new Proxy(function () {}, {get: (_, key) => (key === Symbol.toPrimitive ? () => '' : anything),
  apply: () => anything, construct: () => anything, set: () => true})
// protobuf.js looks there for a class of 64-bit numbers, which it can do without.
const browser = new Proxy({}, {get: (_, key) => (key === 'Long' || key === 'dcodeIO' ? undefined : anything), set: () => true})
const globals = {window: browser, document: anything, location: {hash: '', protocol: 'file:'}, matchMedia: anything,
  localStorage: anything}
const {importProfilesFromArrayBuffer: open} = new Function(...Object.keys(globals), `let made; ${bundle.slice(0, start).replace('"use strict";(()=>{', 'const run=()=>{')}
  made = ${importer}; return }; run(); return made`)(...Object.values(globals))

console.log = () => {}
console.warn = text => process.stderr.write(`speedscope: ${text}\n`)
const hasCalls = process.argv[3] !== '--no-calls'
for (const file of process.argv.slice(hasCalls ? 3 : 4)) {
  const bytes = readFileSync(file)
  const begin = performance.now()
  const group = await open(basename(file), bytes.buffer.byteLength === bytes.byteLength ? bytes.buffer :
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength))
  const seconds = (performance.now() - begin) / 1000, peak_kib = process.resourceUsage().maxRSS
  const profiles = (group ? group.profiles : []).map(profile => {
    const about = {name: profile.getName(), unit: profile.getWeightUnit?.() ?? '', total: profile.getTotalWeight()}
    if (!hasCalls)
      return about
    const frames = []
    profile.forEachFrame(f => frames.push({name: f.name, file: f.file, line: f.line, self: f.getSelfWeight(), total: f.getTotalWeight()}))
    let calls = 0, depth = 0, deepest = 0
    profile.forEachCall(() => (++calls, deepest = Math.max(deepest, ++depth)), () => --depth)
    return {...about, calls, deepest, frames}
  })
  process.stdout.write(JSON.stringify({file, seconds, peak_kib, profiles}) + '\n')
}
