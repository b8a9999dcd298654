import { expect, test } from "vitest";
import { fileSession, text, useSandbox } from "./file-session.ts";

const sandbox = useSandbox();

/** Recorded output of jq 1.8, mostly the same as that of 1.6, because not every machine has jq. */
const CASES: readonly (readonly [filter: string, input: string, output: string])[] = [
  ['.server.host.name = "x"', '{"server":{"port":80}}', '{"server":{"port":80,"host":{"name":"x"}}}'],
  [".a.b += 1", "{}", '{"a":{"b":1}}'],
  [".a[2].b = 1", "{}", '{"a":[null,null,{"b":1}]}'],
  [".a //= 3", "{}", '{"a":3}'],
  [".a = (1,2)", "{}", '{"a":1}\n{"a":2}'],
  [".a |= empty", '{"a":1,"b":2}', '{"b":2}'],
  [".[1:3] = [9]", "[1,2,3,4]", "[1,9,4]"],
  ["(.[]|select(.a==1)|.b) = 2", '[{"a":1},{"a":2}]', '[{"a":1,"b":2},{"a":2}]'],
  ["map(select(.a==1) |= (.b=2))", '[{"a":1},{"a":2}]', '[{"a":1,"b":2},{"a":2}]'],
  ['.. |= (if type=="number" then .+1 else . end)', "[1,[2]]", "[2,[3]]"],
  ['walk(if type=="number" then .+1 else . end)', '[1,{"a":2}]', '[2,{"a":3}]'],
  ["del(.a,.b)", '{"a":1,"b":2,"c":3}', '{"c":3}'],
  ["del(.[]|select(.>1))", "[1,2,3]", "[1]"],
  ["[path(..)]", '{"a":[1]}', '[[],["a"],["a",0]]'],
  [".a[.k]", '{"k":"z","a":{"z":3}}', "3"],
  ['[match("\\\\d+";"g").string]', '"a1b22"', '["1","22"]'],
  ['gsub("(?<c>[A-Z])";"_\\(.c|ascii_downcase)")', '"aBcD"', '"a_bc_d"'],
  ["def g(a;$b): a+$b; g(1;2)", "null", "3"],
  ["def f(g): map(g); f(.a)", '[{"a":1},{"a":2}]', "[1,2]"],
  ['"\\u00e9"', "null", '"é"'],
  ["@sh", '["a b",1]', "\"'a b' 1\""],
  ["unique", '[3,1,"b",null,1]', '[null,1,3,"b"]'],
  ["group_by(.k)", '[{"k":2},{"k":1}]', '[[{"k":1}],[{"k":2}]]'],
  ["sort", '["b","B",[1],9]', '[9,"B","b",[1]]'],
  [".a = .b // 5", "{}", '{"a":null}'],
  [".a // .b = 5", "{}", '{"b":5}'],
  ["1 + 2 * 3 - 4 / 2 % 3", "null", "5"],
  ["false or true and false", "null", "false"],
  ["1 as $x | 2 as $y | [$x, $y, -$x]", "null", "[1,2,-1]"],
  ["[.[] | if . > 1 then 1 elif . == 1 then 2 else 0 end]", "[0,1,2]", "[0,2,1]"],
  ['try error("x") catch . | length', "null", "1"],
  ["def f(g; $n): [g, $n]; f(.a; .b)", '{"a":1,"b":2}', "[1,2]"],
  ["[(1,2) + (10,20)]", "null", "[11,12,21,22]"],
  ["{a: (1,2), b: (3,4)} | [.a, .b]", "null", "[1,3]\n[1,4]\n[2,3]\n[2,4]"],
  ['. == {"b":2,"a":1}', '{"a":1,"b":2}', "true"],
  ["keys, .constructor, .__proto__", '{"constructor":1,"__proto__":2}', '["__proto__","constructor"]\n1\n2'],
  ['.toString, has("valueOf")', "{}", "null\nfalse"],
  [".", '{"b":1,"10":2,"9":3}', '{"b":1,"10":2,"9":3}'],
  [".id", '{"id":12345678901234567890}', "12345678901234567890"],
  ["[-5 % 3, 5 % -3, 5.9 % 3.1]", "null", "[-2,2,2]"],
  ["sort_by(.a, .b) | map(.b)", '[{"a":2,"b":1},{"a":1,"b":3},{"a":1,"b":2}]', "[2,3,1]"],
  ["group_by(.a, .b) | map(length)", '[{"a":1,"b":1},{"a":1,"b":2},{"a":1,"b":1}]', "[2,1]"],
  ["unique_by(.a, .b) | length", '[{"a":1,"b":1},{"a":1,"b":2},{"a":1,"b":1}]', "2"],
  ["add", '[{"a":1},{"b":2},{"a":3}]', '{"a":3,"b":2}'],
  ["del(.[1], .[-1], .[3:5])", "[0,1,2,3,4,5,6]", "[0,2,5]"],
  [".a * .b", '{"a":{"x":{"y":1}},"b":{"x":{"z":2}}}', '{"x":{"y":1,"z":2}}'],
  ['contains(["oo"]), inside(["foobar"])', '["foo"]', "true\ntrue"],
  ["indices(1), indices([1,2]), index(1), rindex(1)", "[1,2,1,2]", "[0,2]\n[0,2]\n0\n2"],
  ["[combinations]", "[[1,2],[3,4]]", "[[1,3],[1,4],[2,3],[2,4]]"],
  ["to_entries, with_entries(.value += 1)", '{"a":1}', '[{"key":"a","value":1}]\n{"a":2}'],
  ["from_entries", '[{"name":"a","value":1},{"k":"b","v":2},{"key":false}]', '{"a":1,"b":2,"false":null}'],
  ['getpath(["a","b"]), [paths], [leaf_paths]', '{"a":null,"b":[1]}', 'null\n[["a"],["b"],["b",0]]\n[["b",0]]'],
  ["[tostream], fromstream(tostream)", '{"a":[1]}', '[[["a",0],1],[["a",0]],[["a"]]]\n{"a":[1]}'],
  ["[limit(3; range(10))], [limit(0; 1)], first(range(5)), [first(empty)]", "null", "[0,1,2]\n[]\n0\n[]"],
  ["[limit(2; 1, 2, error)], isempty(1, error), any(true, error; .)", "null", "[1,2]\nfalse\ntrue"],
  ['[.[] | (1 / .)?], [.[] | try (1 / .) catch "no"]', "[1,0]", '[1]\n[1,"no"]'],
  ['(try error("a") catch .) as $x | try error("b") catch $x + .', "null", '"a"'],
  ["try error(null) catch ., try error({a:1}) catch .a", "null", "null\n1"],
  ["[label $out | 1, break $out, 2]", "null", "[1]"],
  [
    "reduce range(5) as $x (0; . + $x), [foreach range(3) as $x (0; . + $x; [$x, .])]",
    "null",
    "10\n[[0,0],[1,1],[2,3]]",
  ],
  [".[] as [$a] ?// {$b} | [$a, $b]", '[[1],{"b":2}]', "[1,null]\n[null,2]"],
  [
    "[recurse(if . < 3 then . + 1 else empty end)], until(. > 9; . * 2), [while(. < 4; . + 1)]",
    "1",
    "[1,2,3]\n16\n[1,2,3]",
  ],
  ["[.[] // 9], (empty // 1), [false, 2 | . // 3]", "[null,1]", "[1]\n1\n[3,2]"],
  ['"a\\(.a)b\\("c" + "d")", @json "v: \\(.a)"', '{"a":[1]}', '"a[1]bcd"\n"v: [1]"'],
  [
    "@csv, @tsv",
    '[1,"a\\"b",null,true,"x\\ty"]',
    '"1,\\"a\\"\\"b\\",,true,\\"x\\ty\\""\n"1\\ta\\"b\\t\\ttrue\\tx\\\\ty"',
  ],
  ["@uri, @base64, (@base64 | @base64d)", '"ü&"', '"%C3%BC%26"\n"w7wm"\n"ü&"'],
  ['[scan("[a-z]\\\\d"; "i"), scan("(.)=")]', '"A1=b2="', '["A1","b2",["1"],["2"]]'],
  ['sub("(?<x>b)"; "[\\(.x)]"), gsub("^|$"; "-"), [splits(", *")]', '"ab, b"', '"a[b], b"\n"-ab, b-"\n["ab","b"]'],
  ['test("É"; "i"), [match("é").offset], gsub("\\\\w"; "x")', '"aé b"', 'true\n[1]\n"xx x"'],
  ['gsub("{(?<k>[^}]+)}"; "<\\(.k)>")', '"a{b}c"', '"a<b>c"'],
  ['ascii_downcase, ltrimstr("A"), (explode | implode), .[1:], length', '"AbÇ"', '"abÇ"\n"bÇ"\n"AbÇ"\n"bÇ"\n3'],
  [
    'strptime("%Y-%m-%dT%H:%M:%SZ") | ., mktime, todate',
    '"2015-03-05T23:51:47Z"',
    '[2015,2,5,23,51,47,4,63]\n1425599507\n"2015-03-05T23:51:47Z"',
  ],
  ['strftime("%A %d %B %y %j %I:%M %p")', "1425599621", '"Thursday 05 March 15 064 11:53 PM"'],
  [
    "tojson, (tojson | fromjson), tostring, ([.[] | tostring])",
    '[1,"a",null]',
    '"[1,\\"a\\",null]"\n[1,"a",null]\n"[1,\\"a\\",null]"\n["1","a","null"]',
  ],
  ["[.[] | tonumber?]", '["1","x","-2.5e1"]', "[1,-25]"],
  ["$__loc__, input_line_number", "null", '{"file":"<top-level>","line":1}\n0'],
  ["[.[] as {a: $x, b: [$y]} | $x + $y]", '[{"a":1,"b":[2]}]', "[3]"],
  ["{(.a, .b): 1}", '{"a":"x","b":"y"}', '{"x":1}\n{"y":1}'],
  ['. as $d | [paths(type == "number") | . as $p | $d | getpath($p)]', '{"a":1,"b":[2]}', "[1,2]"],
  ["transpose, flatten, flatten(1)", "[[1,[2]],[3]]", "[[1,3],[[2],null]]\n[1,2,3]\n[1,[2],3]"],
  ['walk(if type == "object" then del(.x) else . end)', '[{"x":1,"b":{"x":2}}]', '[{"b":{}}]'],
  ["limit(1; .[] | select(. > 1)) |= 9", "[1,2,3]", "[1,9,3]"],
  ['to_entries | map("\\(.key)=\\(.value)") | join("&")', '{"b":1,"a":"x"}', '"b=1&a=x"'],
  ["min_by(.a), max_by(.a)", '[{"a":1,"b":1},{"a":1,"b":2}]', '{"a":1,"b":1}\n{"a":1,"b":2}'],
  ["[.[] | ascii_upcase] | unique", '["b","a","B"]', '["A","B"]'],
  ["ltrimstr(1)", '"x"', '"x"'],
  [".[] += 1 | .[0] |= empty", "[1,2]", "[3]"],
  ["pick(.a.b)", '{"a":{"b":1,"c":2}}', '{"a":{"b":1}}'],
  [".. |= .", "[1]", "[1]"],
  ["def f: def g: 3; g; f + 1", "null", "4"],
  ["INDEX(.id) | map_values(.n)", '[{"id":1,"n":"a"},{"id":"x","n":"b"}]', '{"1":"a","x":"b"}'],
  ["[.[] | select(IN(1, 3))]", "[1,2,3]", "[1,3]"],
  ['[splits("a+"; "g")]', '"baab"', '["b","b"]'],
];

test("jq's filters yield the same results as the original", async () => {
  const session = fileSession(sandbox);
  for (const [at, [filter, input]] of CASES.entries()) {
    session.put(`${at}.jq`, filter);
    session.put(`${at}.json`, input);
  }
  const command = `for ((i = 0; i < ${CASES.length}; i++)); do jq -c -f $i.jq $i.json > $i.out 2>&1; done`;
  expect(text(await session.run("bash", { command }))).toMatch(/^exit code 0/);
  const outputs = CASES.map(([filter], at) => [filter, session.bytes(`${at}.out`).toString("utf8").trimEnd()]);
  expect(outputs).toEqual(CASES.map(([filter, , output]) => [filter, output]));
});

/** Command lines and their output, which ends with the exit code. */
const COMMANDS: readonly (readonly [command: string, printed: string])[] = [
  ["jq -n '1, 2'; jq -nc '[1]'; jq -n --tab '[1]'; jq -n --indent 1 '[1]'", "1\n2\n[1]\n[\n\t1\n]\n[\n 1\n]\n0"],
  ['echo \'{"b":1,"a":"é"}\' | jq -cS .; echo \'"é"\' | jq -a .', '{"a":"é","b":1}\n"\\u00e9"\n0'],
  [
    "printf '1 2\\n3' | jq -c -s .; printf 'a\\nb' | jq -R .; printf 'a\\nb\\n' | jq -Rs .",
    '[1,2,3]\n"a"\n"b"\n"a\\nb\\n"\n0',
  ],
  ["printf '1 2 3' | jq -n '[inputs] | add'; printf '1 2 3' | jq -c '[., input]' 2> /dev/null", "6\n[1,2]\n5"],
  ['jq -nr \'"a\\tb", ["c"][]\'; jq -nj \'1, "x"\'', "a\tb\nc\n1x0"],
  [
    "jq -n --arg a 1 --argjson b 2 '$a, $b, $ARGS.named.a'; jq -nc '$ARGS.positional' --args x y",
    '"1"\n2\n"1"\n["x","y"]\n0',
  ],
  ["export V=1; W=2; jq -n 'env.V, $ENV.W'", '"1"\nnull\n0'],
  ["jq -ne 'null, false'", "null\nfalse\n1"],
  ["jq -ne empty", "4"],
  ["echo '[1,{}] 2' | jq '.[0]' 2> /dev/null", "1\n5"],
  ["echo '1 {' | jq . 2> /dev/null", "1\n2"],
  ["jq -n '1 +' 2> /dev/null", "3"],
  ["jq -n nothing 2> /dev/null", "3"],
  ["jq --nothing . 2> /dev/null", "2"],
  ["jq . absent 2> /dev/null", "2"],
  ["jq -n '\"bye\\n\" | halt_error(7)' 2>&1", "bye\n7"],
  ["echo '{\"a\":5}' | jq -c '.a.b = 1' 2> /dev/null", "5"],
  ["echo '[{\"a\":5}]' | jq -c 'map(.a) = 1' 2> /dev/null", "5"],
  ["echo '{\"a\":5}' | jq -c '.a += \"x\"' 2>&1", 'jq: error: number (5) and string ("x") cannot be added\n5'],
];

test("jq's options and exit codes are the same as in the original", async () => {
  const session = fileSession(sandbox);
  for (const [at, [command]] of COMMANDS.entries()) session.put(`${at}.sh`, command);
  const command = `for ((i = 0; i < ${COMMANDS.length}; i++)); do bash $i.sh > $i.out < /dev/null; printf $? >> $i.out; done`;
  expect(text(await session.run("bash", { command }))).toMatch(/^exit code 0/);
  const outputs = COMMANDS.map(([command], at) => [command, session.bytes(`${at}.out`).toString("utf8")]);
  expect(outputs).toEqual(COMMANDS);
});
