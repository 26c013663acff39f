// Opens files with speedscope's own importer and prints what it understood, one JSON object per file.
// Usage: node speedscope.mjs speedscope.js FILE...
//
// The importer is inside of the application's bundle. It is run up to where the application would draw itself, and the
// function that takes files is found by what it says.
import {readFileSync} from 'node:fs'
import {basename} from 'node:path'

const bundle = readFileSync(process.argv[2], 'utf8')
const said = bundle.indexOf('Importing as protobuf encoded pprof file')
const importer = bundle.slice(0, said).match(/.*async function (\w+)\(/s)[1]
const start = bundle.lastIndexOf('console.log(`speedscope v')
const anything = new Proxy(function () {}, {get: (_, key) => (key === Symbol.toPrimitive ? () => '' : anything),
  apply: () => anything, construct: () => anything, set: () => true})
// protobuf.js looks there for a class of 64-bit numbers that it could do without.
const browser = new Proxy({}, {get: (_, key) => (key === 'Long' || key === 'dcodeIO' ? undefined : anything), set: () => true})
const globals = {window: browser, document: anything, location: {hash: '', protocol: 'file:'}, matchMedia: anything,
  localStorage: anything}
const open = new Function(...Object.keys(globals), `let open; ${bundle.slice(0, start).replace('"use strict";(()=>{', 'const run=()=>{')}
  open = ${importer}; return }; run(); return open`)(...Object.values(globals))

console.log = () => {}
console.warn = text => process.stderr.write(`speedscope: ${text}\n`)
for (const file of process.argv.slice(3)) {
  const bytes = readFileSync(file)
  const text = bytes.toString('utf8')
  const group = await open({
    name: async () => basename(file),
    readAsArrayBuffer: async () => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
    readAsText: async () => ({firstChunk: () => text, parseAsJSON: () => JSON.parse(text), splitLines: () => text.split('\n')}),
  })
  const profiles = (group ? group.profiles : []).map(profile => {
    const frames = []
    profile.forEachFrame(f => frames.push({name: f.name, file: f.file, line: f.line, self: f.getSelfWeight(), total: f.getTotalWeight()}))
    let calls = 0, depth = 0, deepest = 0
    profile.forEachCall(() => (++calls, deepest = Math.max(deepest, ++depth)), () => --depth)
    return {name: profile.getName(), unit: profile.getWeightUnit?.() ?? '', total: profile.getTotalWeight(), calls, deepest, frames}
  })
  process.stdout.write(JSON.stringify({file, profiles}) + '\n')
}
