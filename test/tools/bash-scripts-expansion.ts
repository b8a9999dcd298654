import type { Script } from "./bash-scripts.ts";

/** Scripts about expansions, lists, functions, jobs and the order of output. */
export const EXPANSION_SCRIPTS: Readonly<Record<string, readonly Script[]>> = {
  "variables of functions": [
    `a=(1 2); declare -A m=([k]=v); n=5; f() { local -a a; echo "[\${a[*]}]"; a+=(x); local -A m; m[z]=1; echo "\${#a[@]} \${!m[@]}"; local -i n; echo "[$n]"; n+=2; echo $n; }; f; echo "\${a[@]} \${!m[@]} $n"`,
    `a=(1 2); f() { local a; a+=(y); echo "\${a[@]}"; declare -a a; echo \${#a[@]}; }; f; g() { local a=7; echo "\${a[@]}"; }; g; echo "\${a[@]}"; x=1; h() { local x+=2; echo $x; }; h; x=3 h`,
    `r() { local -a acc; acc+=("$1"); (( $1 > 0 )) && r $(( $1 - 1 )); echo "\${acc[@]}"; }; r 2; k() { local IFS=, a=("\${a[@]}" 3); echo "\${a[*]}"; }; a=(1 2); k; g() { declare -g a=(9); }; g; echo "\${a[@]}"`,
    `f() { for i in "\${!FUNCNAME[@]}"; do echo "$i \${FUNCNAME[$i]} \${FUNCNAME[i]} \${BASH_SOURCE[$i]}"; done; local j=0; echo "\${FUNCNAME[$((j+1))]} \${FUNCNAME[-1]} \${FUNCNAME[7]:-none}"; }; g() { f; }; g`,
    `printf '%s\\n' 'trace() { local i=0; while [[ -n \${FUNCNAME[$i]:-} ]]; do echo "\${FUNCNAME[$i]} \${BASH_SOURCE[$i]}:\${BASH_LINENO[$i]}"; ((++i)); done; }' 'a() { trace; }' a 'echo "\${BASH_LINENO[0]} \${#BASH_SOURCE[@]} \${FUNCNAME[0]-none}"' > s.sh; bash s.sh; bash -eu s.sh; bash -e s.sh x`,
  ],
  "operations on each element": [
    `a=(a ab); printf '<%s>' x\${a[@]/a/q}y x\${a[@]%b}y "x\${a[@]#a}y" p\${a[@]^}s "p\${a[@]^^}s" \${a[@]#a} '|' "\${a[@]/#/$}" "\${a[@]/a/\\$1}"; set -- a ab; printf '<%s>' x\${@/a/q}y x\${@#a}y; e=(); printf '<%s>' x\${e[@]#a}y "x\${e[@]/a/b}y" "\${e[@]^}"`,
    `a=("x y" z); for f in \${a[@]/ /_}; do echo "$f"; done; b=(\${a[@]^^}); echo "\${#b[@]}"; v="\${a[*]/%/;}"; echo "$v"; [[ "\${a[*]^}" == "X y Z" ]] && echo capitals; set -u; n=(); echo "[\${n[@]/x/y}]"; declare -A m=([k]=v1 [l]=v2); printf '%s\\n' "\${m[@]/v/w}" | sort; IFS=-; echo "\${a[*]^^}"`,
    `s='<p>&</p>'; t=\${s//&/&amp;}; t=\${t//</&lt;}; echo "$t" "\${s//</"&lt;"}" "\${s//</'&lt;'}" "\${s//</\\&lt;}"; r='[&]' q='\\&'; v=foo; echo "\${v/o/$r} \${v/o/"$r"} \${v/o/$q} \${v//o/\\\\&} \${v/#/& }\${v/%/&}" \${v/o/\\&}; a=(x xy); echo "\${a[@]/x/<&>}"; shopt -u patsub_replacement; echo "\${v/o/[&]}"; shopt -s patsub_replacement; echo "\${v/o/[&]}"`,
  ],
  "quotes in alternatives": [
    `p() { printf '<%s>' "$@"; echo; }; v=''; p \${u:-'*.csv'} "\${u:-*.csv}" \${u:-*.csv} \${u:-""} x\${u:-""} \${u:-} \${u:-a "b c"}z 1\${u:-"2 3" 4"5" "6 7"}8 \${u:-$HOME/x y} \${v:-"x y"}\${v-"n"} \${v:+'no'} \${v+'set it'}; set -- "a b" c; p \${u:-"$@"} \${1+"$@"} x\${1+"$@"}y \${HOME:+-f "my file"}; f() { p \${DEBUG:+"-v" "-x y"} "$@"; }; f one; DEBUG=1 f two; find . -name \${PAT:-'*.csv'}`,
    `set -u; p() { printf '<%s>' "$@"; echo; }; e=(); l=("a b" c); p \${e[@]+"\${e[@]}"} x; p \${l[@]+"\${l[@]}"} \${l[@]:+"\${l[@]}"} end; p \${e[@]:+"\${e[@]}"} y; set --; p \${1+"$@"} z; a=(\${v:-'p q' r}); echo \${#a[@]}; for w in \${v:-"x y" z}; do echo "$w"; done; z=\${v:-"a  b"  c}; echo "$z"; IFS=:; p \${v:-"a:b":c:d} \${v:-\\*} \${v:-a\\ b}`,
    `x=1; y='{"a":1}'; echo "\${x:-{}}" "\${y:-{}}" "\${y:+{}}"; unset x; echo "\${x:-{\\}}" \${x:-{\\}} "\${x:-{"a"}}" "\${x:-{a,b}}" \${x:-{} "$(echo "\${x:-{}}")" "\${x:-\\{a\\}}" "\${y#{}" "\${y%\\}}" "\${y//\\{/<}"`,
    `set -- a b c; echo \${!#} \${!1:-x} \${#} \${!:-none} "[\${!}]"; sleep 0 & wait \${!}; echo $?`,
    `(: \${d:?must be set}) 2>&1 | sed 's/.*: d/d/'; a=(x y); (: \${a[5]:?none there}) 2>&1 | sed 's/.*: a/a/'; v=abc; echo \${v//b*/X} \${v//?/<&>} "\${v/[a-b]/-}" \${v//x*/Y} \${v//*/Z} \${v/%*/E}`,
    `a=($(seq 70000)); echo \${a[-1]} \${a[-70000]}; declare -a b=("\${a[@]}"); b+=(last); declare b+=(more); echo \${b[-1]} \${#b[@]}; a[-1]=end; echo \${a[69999]}; unset 'a[-1]'; echo \${a[-1]}; ((b[-1]=5)); echo \${b[70001]}; [[ -v a[-2] ]] && echo set`,
  ],
  bytes: [
    `printf '[%-10s][%5s][%.2s]\\n' é 日本 éàü; printf -v x '%-4s|' é; echo "$x"; printf '%s' $'\\377\\xc3\\xa9\\u00e9\\U1F600\\101\\cA' > f; od -An -tx1 f; echo $'it\\'s \\"q\\" \\? a\\tb'`,
    `printf '\\xef\\xbb\\xbfhello\\n' > f; sed $'1s/^\\xEF\\xBB\\xBF//' f; sed '1s/^\\xef\\xbb\\xbf//' f | od -c; [[ $(head -c3 f) == $'\\xef\\xbb\\xbf' ]] && echo mark; x=$(cat f); echo \${#x}; sed 's/a\\\\xff/b/' <<< 'a\\xff'`,
    `x=$(printf 'a\\0b'); echo \${#x}; y=$(find . -name '*.csv' -print0); echo "[$y]"; printf 'a\\0b\\n' | { read -r z; echo \${#z}; }`,
  ],
  "parts of seconds and of characters": [
    `date -u -d '2024-01-01 12:34:56.789' '+%T.%3N %N %%N'; date -u -d @1705312800.5 +%s.%N; date -ud '2024-01-01 10:00:00,125' +%6N; date -Rud@0; date -u -d '2024-01-01 10:00:00' +%N; date -ud '2024-01-02 + 1 day' +%F`,
    `echo 日本語 | cut -c1-3; echo 'é,b' | cut -c3-; echo 'a,é,c' | cut -d, -f2`,
  ],
  "jobs and traps": [
    `(exit 3) & wait $!; (exit 4) & wait %1; echo $?; (exit 8) & p=$!; wait -n $p; echo $?; wait -n; echo $?`,
    `trap 'echo "line $LINENO rc $?"' ERR\nx=$(false)\n(( 0 ))\n( false )\nf() {\n  true\n  return 2\n}\nf\n\nlog() { echo "$(true) [$LINENO]"; }\nlog\necho x | grep -q y`,
  ],
  "order of stdout and stderr": [
    `cat fruit.txt missing numbers.txt > both 2>&1; cat both; printf '%s\\n' a 'b c' | xargs -d '\\n' -t -n1 sh -c 'echo out; echo err >&2' _ > all 2>&1; cat all; find . -name fruit.txt -exec sh -c 'echo e >&2; echo o' \\; 2>&1`,
  ],
  "attributes of variables": [
    `a=(1 'b c' "d'e"); echo "\${a[@]@A}" x; printf '<%s>' \${a[*]@A}; v="\${a[*]@A}"; echo "$v"; declare -A h=([k]=v); echo "\${h[@]@A}"; b=x; declare -i n=4; export e=1; declare -r z=1; l=(); echo "\${b@A} \${n@A} \${e@A} \${z@A} \${a@A} \${a[1]@A} \${none@A} [\${l[@]@A}]"; unset b; eval "\${a[@]@A}"; echo \${#a[@]}`,
    `export A1=1; declare -x | grep A1; declare -rx B2=2; declare -x | grep -c '^declare -r*x B2="2"$'; declare -r | grep B2; typeset -x | grep -c '^A1'; declare -n ref=A1; declare -n`,
    `declare -Ai c; for w in a b a; do c[$w]+=1; done; echo \${c[a]} \${c[b]}; declare -ai n=(1+1 2*3); n[5]=4+4; n+=(7-1); n[0]+=3; echo \${n[@]}; declare -p n; declare -au U=(x y); U[3]=z; U+=(w); declare -Al L=([K]=VAL); L[z]=QQ; echo \${U[@]} \${L[@]}`,
    `f() { local -i q; q=1+1; local -u U=x; echo $q $U; local -ai l; l[2]=1+1; l[2]+=5; echo \${l[2]}; }; f; q=3+4; U=abc; echo $q $U; declare -i q; q=2+2; declare +i q; q+=1; echo $q`,
    `declare -i n=5; declare -ix k=7; declare -l lo=AB; declare -i | grep -E ' [nk]='; declare -x | grep ' k='; declare -l; declare -ax xa=(1); declare -p xa lo; readonly ra=(1 2); declare -p ra; echo \${lo@a} \${k@a} \${xa@a}`,
    `a=(x "y z"); printf '<%s>' "\${a[@]@A}" \${a[@]@A} "p \${a[@]@A} q" "\${a[*]@A}"`,
  ],
  "patterns with a hash sign": [
    `[[ "v1.2#3" =~ ^v([0-9.]+)#([0-9]+)$ ]] && echo \${BASH_REMATCH[@]}; [[ a#b =~ (a)#b ]] && echo a; [[ '#x' =~ ^# ]] && echo h; [[ a =~ (a|b) # comment
]] && echo c
(echo a)#not
(echo b) # c`,
  ],
  "first elements, and letters of other cases": [
    `a=(1 2 3); read a <<< x; echo "\${a[@]}" "$a"; read -r a b <<< 'p q r'; echo "\${a[@]}|$b"; printf -v a %s z; echo "\${a[@]}"; for a in k l; do :; done; echo "\${a[@]}"; ((a = 7)); echo "\${a[@]}"; ((a++)); let a+=2; echo "\${a[@]}"; while IFS= read -r a; do :; done < <(printf '1\\n2'); echo "\${a[@]}"`,
    `x=5; x=(1 2); echo "\${x[@]}"; f() { local -a z=(1 2); read z <<< q; echo "\${z[@]}"; }; f; w=(1 2); (read w <<< 9; echo "\${w[@]}"); echo "\${w[@]}"; declare -A m=([k]=v); read m <<< t; echo "\${m[0]}" "\${#m[@]}"; unset w; w=s; echo "\${w[@]}"`,
    `x=straße; echo "\${x^^}" "\${x^}" "\${x@U}"; y=ÀÉ; echo "\${y,,}" "\${y,}" "\${y@L}"; z=ŉ; echo "\${z^^}"; i=İ; echo "\${i,,}" | od -An -tx1; v=élan; echo "\${v^}" "\${v@u}"`,
  ],
};
