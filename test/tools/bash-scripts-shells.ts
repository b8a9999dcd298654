import type { Script } from "./bash-scripts.ts";

/** Scripts about what one shell passes on to another, about what fails in expansions and pipes, and about bytes. */
export const SHELL_SCRIPTS: Readonly<Record<string, readonly Script[]>> = {
  "defaults with quotes and lists": [
    `printf '<%s>' \${u:="a b"} "$u" \${w:=c d} "\${x:="q  r"}" \${y="*.csv"}; echo "$x|$y"; : \${z:="p q"}; echo "$z"`,
    `set -- "x y" z; p() { printf '<%s>' "$@"; echo; }; p "\${u:-$@}" "\${u:-a $@ b}" "\${u-"$@"}" "n\${u:-"$1"}m" "\${HOME:+$@}" "\${u+$@}"; a=(1 "2 3"); p "\${u:-\${a[@]}}" "x\${u:-"\${a[@]}"}y" "\${u:-\${a[*]}}"; f() { local d=("\${@:-default dir}"); for i in "\${@:-.}"; do echo "[$i]"; done; p "\${d[@]}"; }; f; f q "r s"; e=(); p "\${e[@]:-empty}" "\${e[@]-e}" "\${e[@]:+x}"; p "\${a[@]:-empty}" "p \${a[@]:-e} q" "\${a[@]:+x y}" "\${a[@]:+\${a[@]}}"`,
    `mkdir "my dir"; touch "my dir/a b.txt"; d="my dir"; for f in "$d"/*.txt "$d"/*.tmp my\\ dir/[xy]* "a b"[c] x\\ y*; do echo "<$f>"; done; rm -f "$d"/*.tmp; ls; x='q [z'; printf '<%s>' $x "$x"[ab [a" b"`,
    `a=([ -f x ]); echo "\${#a[@]}" "\${a[@]}"; c=(x [ab cd] e); echo "\${#c[@]}"; f() { local -a t=([ x ]); echo "\${#t[@]}"; }; f; b=([0]=x [1 + 1]=y); echo "\${!b[@]}"; declare -A m=([a b]=1); m+=([c d]=2); echo "\${m[a b]} \${m[c d]}"; d=("[ q" ] \\[ a); echo "\${#d[@]}"`,
  ],
  "quoting for a shell": [
    `printf '%q ' 'a b' "it's" '$x' '' 'a"b' $'n
l' 'a*b' '~' '#x' 'a=b' 'x;y' 'ab!' '[z]' '{a,b}' é '\\' 'a&b' '<' 'x~' 'a#b' 'a^b' 'a%b' 'a@b:c' 'P=~/x' $'e\\e[0m' $'q\\'\\n' $'\\001'; y="it's" z=$'a
b\\'c\\\\d\\e' e=; a=("x y" "$y"); echo "\${y@Q} \${z@Q} [\${e@Q}] \${a[@]@Q}"; eval "r=(\${a[*]@Q})"; echo "\${r[1]}"`,
  ],
  "command substitutions in arithmetic": [
    `a=($(seq 1 5)); echo $(( $(IFS=+; echo "\${a[*]}") )) $((2 * $(echo 1+1))) $(( $(grep -c "a" "fruit.txt") + $(wc -l < "numbers.txt") )) $((\`echo 3\` * 2)) \${a[$(echo 1)+1]} $(( "$(echo 2)" + 1 )) $((10#$(echo 08) + 1)) $(( $(true) + 1 )); x=3; (( x += $(echo 4) )); echo $x; for ((i = $(echo 1); i <= $(echo 2); i++)); do echo i$i; done; declare -A m; m[$(echo "a b")]=1; echo "\${m["$(echo "a b")"]}"; [[ $(echo 1+1) -eq 2 ]] && echo two`,
  ],
  "errors of expansions": [
    `echo a; echo $((1/0)); echo b
echo "next $?"
f() { echo $((1/0)); echo in; }; f; echo after
if echo $((08)); then echo t; fi; echo z
v=$(echo $((1/0)); echo sub); echo "v $?"
(echo q; { echo $((1/0)); }; echo sub); echo "s $?"
eval 'echo $((1/0)); echo in'; echo no
for i in 1 2; do echo $((i/0)); done; echo no
echo $((1/0)) | cat; echo "p \${PIPESTATUS[@]}"
set -e
x=$((08))
echo end`,
    `(set -u
f() {
  echo a
  echo $undef
  echo in
}
for i in 1 2; do
  if true; then { echo g; f; }; fi
  echo no
done
echo no); echo "rc $?"; (set -u; while true; do case a in a) echo $nope; echo no ;; esac; done; echo no); echo "rc $?"; (set -u; echo $nope | cat; echo "pipe $?"; x=$(echo b; echo $nope; echo no); echo "[$x] $?"; f() { local y=$nope; echo no; }; f; echo no); echo $?`,
  ],
  "shells and their variables": [
    `unset OLDPWD; echo $SHLVL; bash -c 'echo $SHLVL'; (echo $SHLVL); echo "\${OLDPWD-unset}"; cd -; echo $?; cd code; echo $OLDPWD; bash -c 'echo $SHLVL $OLDPWD'; cd lib; cd -; echo $OLDPWD; env | grep -E '^(SHLVL|OLDPWD|PWD)=' | sort; echo 'echo $SHLVL' | bash; echo $SHLVL`,
    `printf '#!/usr/bin/env bash\\necho "$0 $# \${11} [$x] [$y] \${BASH_SOURCE[0]} \${FUNCNAME[0]-none}"; declare -F; false; z=3; cd code; exit 4\\n' > s.sh; chmod +x s.sh; x=1; export y=2; f() { ./s.sh {1..11} || echo "rc $?"; }; set -eu; f; echo "\${z-unset}"; pwd; PATH=$PWD:$PATH; s.sh b || echo $?; set +eu; printf 'read l; echo "got $l"\\n' > r.sh; chmod +x r.sh; while read -r a; do echo "a $a"; ./r.sh; done < numbers.txt; echo in | ./r.sh; printf 'echo "$# \${10}\${11}"; shift 9; echo $1\\n' > t.sh; . ./t.sh {a..k}; echo "$#"; ./code; echo $?; chmod -x r.sh; ./r.sh; echo $?; ./nope; echo $?`,
    `printf 'f() { echo "\${FUNCNAME[@]}|\${BASH_SOURCE[@]}|\${BASH_LINENO[@]}"; }\\nf\\necho "\${FUNCNAME[@]}|\${BASH_SOURCE[@]}|\${BASH_LINENO[@]}|$FUNCNAME"\\n' > l.sh; . ./l.sh; g() { source ./l.sh; }; g; f; printf 'source ./l.sh\\ng() { . ./l.sh; }; g; f; echo "\${#FUNCNAME[@]} \${BASH_SOURCE[@]}"\\n' > m.sh; bash m.sh; echo 'return 3' > r.sh; . ./r.sh; echo $? "\${#BASH_SOURCE[@]}"; echo 'echo $((1/0))' > e.sh; . ./e.sh
echo "\${#BASH_SOURCE[@]}"`,
    `echo $LINENO $(
  echo $LINENO
  echo $LINENO
)
f() {
  echo $LINENO
}
echo $(f) "$(echo $(echo $LINENO))"
echo $LINENO`,
  ],
  "pipes that are not read to the end": [
    `seq 30000 | head -1; echo \${PIPESTATUS[@]}; set -o pipefail; seq 20000 | sed 1q; echo "$? \${PIPESTATUS[@]}"; seq 20000 | head -1 | cat; echo "\${PIPESTATUS[@]}"; seq 20000 | tail -1; echo $?; seq 1000 | head -2; echo $?; cat fruit.txt | head -1; echo $?; x=$(seq 20000 | head -1); echo "$x $?"; seq 20000 | timeout 5 cat | wc -l; echo $?; seq 20000 > f; head -1 f; echo $?`,
  ],
  "process substitutions that last": [
    `exec > >(sed 's/^/1:/'); exec > >(sed 's/^/2:/'); echo hi`,
    `exec 2> >(sed 's/^/E/' >&2); echo a >&2; exec > >(sed 's/^/O/' | sed 's/$/!/'); echo b; exec > >(cat); echo c; (exec > >(tr a-z A-Z); echo sub)`,
  ],
  "bytes of tr": [
    `echo 'é' | tr é e | od -c; echo 'naïve' | tr -d 'ï' | od -c; echo 'é' | tr -c 'a-z\\n' '_'; echo 'Ünï' | tr '[:lower:]' '[:upper:]'; echo 'é x' | tr -cd '[:print:]\\n'; tr '\\200-\\377' '?' <<< aé; tr a-c x <<< abcd; tr abc xy <<< abcd; tr -t abc xy <<< abcd; tr -s a-z <<< aabbcc; tr '[a*3]b' 'xyz' <<< ab; tr abc '[x*2]y' <<< abc; tr -dc '[:alnum:]_-' <<< 'a b_c-d!'; echo; tr '[=a=]' b <<< aa; tr 'a\\-z' 123 <<< 'a-z'; tr '\\\\' / <<< 'a\\b'; tr / '\\\\' <<< a/b; tr '\\0' '\\n' < <(printf 'a\\0b\\0'); tr -cs '[:alnum:]' '[\\n*]' <<< 'x, y!'; tr -ds a b <<< abbaabb; tr 'a-' 'xy' <<< a-; tr '\\101' Z <<< ABA`,
    `tr; echo $?; tr a; echo $?; tr -d; echo $?; tr -d a b; echo $?; tr z-a b; echo $?; tr '[:foo:]' b; echo $?; tr a ''; echo $?; tr a b c; echo $?; tr -q a b; echo $?; tr a b fruit.txt; echo $?`,
  ],
  "binary files and records of grep": [
    `head -c 100 /dev/zero > b.dat; echo needle >> b.dat; cp fruit.txt t.txt; echo needle >> t.txt; grep needle b.dat; echo $?; grep -c needle b.dat; grep -rI needle .; grep -rl needle . | sort; grep -a needle b.dat | tr -d '\\0'; grep -r needle .; grep -I needle b.dat; echo $?; grep -q needle b.dat; echo $?; grep -L zz b.dat; cat b.dat | grep -n needle; grep --binary-files=without-match -n needle b.dat t.txt`,
    `printf 'a\\0b\\0c\\0' | grep -z b | od -c; printf 'x y\\0z\\0' | grep -zv z | tr '\\0' '\\n'; find . -name '*.txt' -print0 | grep -z fruit | xargs -0 ls; grep -zoP 'jumps over\\n\\n.*\\n' poem.txt | tr '\\0' '\\n'; grep -zo 'apple\\sfig' fruit.txt | tr '\\0' ';'; find . -name '*.txt' -print0 | grep -zc txt; grep -Pzo '(?s)int main.*?return' code/main.c | tr -d '\\0'; grep -lz main code/main.c`,
  ],
  "other names, signals and masks": [
    `awk 'BEGIN { print strftime("%Y-%m-%d %H:%M", 86400, 1), strftime("it'"'"'s %%", 0), mktime("2024 01 02 03 04 05"), mktime("x"), systime() > "/dev/null"; a["c"]=1; a["a"]=2; n=asorti(a,b); print n, b[1], b[2]; n=asort(a); print n, a[1], a[2] }'; awk '{ v[NR] = $1 } END { n = asort(v); for (i = 1; i <= n; i++) printf "%s ", v[i]; print "" }' numbers.txt fruit.txt; awk -F, 'NR > 1 { print strftime("%F", $2 * 86400) }' people.csv; gawk -F, '{ print $1 }' people.csv | head -2; seq 3 | gawk '{ s += $1 } END { print s }'; echo in | nohup cat 2> /dev/null`,
    `kill -0 $$ && echo alive; true & p=$!; wait $p; kill $p; echo $?; trap 'echo usr' USR1; kill -s USR1 $$; kill -USR1 $$; kill; echo $?; umask; umask -S; umask 022; trap 'echo int' INT; kill -INT $$; trap 'echo term; exit 3' TERM; kill $$; echo no`,
  ],
  "names that are empty": [
    `mkdir -p d/e; cd d; touch f; rm -rf "$u"; rm -f "$u"; echo $?; rm "$u"; echo $?; rm -rf .; echo $?; rm -r ..; echo $?; rm -rf e/.; ls; cd ..; ls -d d`,
    `for t in e d f r s; do [ -$t "" ]; echo $?; done; [[ -d "$u" || -e $u ]]; echo $?; test -e "$u" && echo there; cd "$u" && pwd; mkdir "$u"; mkdir -p "$u"; touch "$u"; cp fruit.txt "$u"; mv fruit.txt "$u"; cp -r "$u" q; mv "$u" q; chmod 600 "$u"; echo x > "$u"; echo $?; ls; ls "$u"; echo $?`,
    `for c in 'cat' 'grep -r x' 'stat -c %s' 'readlink -f' 'realpath' 'tar xf' 'find' 'du' '.' 'bash'; do $c "" > out; echo "$c $?"; done; date -r ""; echo $?; date -d "" +%T; touch -d "" fruit.txt; echo $?; grep -r apple fruit.txt | head -1; grep -rl util | sort`,
  ],
  "what is quoted beside an expansion": [
    `n=; echo '*'$n'.txt' "f"*$n; n="a b"; echo '*'$n'.txt' "*"$n \\*$n *$n.csv; n='f*'; echo $n.txt '['$n "\\\\"$n; n='a\\b'; echo $n x$n'*' $n*; set -- 'q*' r; echo 'a*'$1 "$@"'*'; n='[fp]*.txt'; echo $n x$n; IFS='\\'; n='a\\b'; echo $n'*'`,
    `touch 'z*' zb; n='z* '; echo $n z* *b; for f in $n; do echo "<$f>"; done; n=z; echo "$n"* $n* "$n*"; rm $n*; ls`,
    `shopt -s nullglob; n='a b'; printf '<%s>' "*"$n $n"?" "["$n"]" q*$n; shopt -u nullglob; shopt -s failglob; printf '<%s>' "*"$n`,
  ],
  "input and errors of substitutions": [
    `echo "hello world" | echo test=$(cat); seq 3 | printf '%s,' $(sort -r) x; echo q | cat - <(cat); f() { echo "$1 $(cat)"; }; echo z | f $(echo y)`,
    `printf '1\\n2\\n' | tee /dev/null "$(cat > o; echo o2)"; ls o*; printf 'a\\n' | grep "$(cat)"; echo $?; seq 3 | wc -l "$(cat > /dev/null; echo -)"; printf 'a\\nb\\n' | cat $(cat > o; echo o) -; f() { cat; echo "$1"; }; seq 3 | f "$(cat)"; echo z | echo "$(cat)$(cat)"; seq 2 | cat - "$(echo x | cat > o; echo o)"`,
    `comm -23 <(sort -u missing) <(sort fruit.txt); diff <(cat missing) <(cat fruit.txt) > out; cat <(cat m1) <(cat m2) 2>&1 | grep -c m; echo $(cat m1) $(cat m2)`,
  ],
  "directories and empty inputs": [
    `awk 'END { print NR }' code fruit.txt logs numbers.txt; awk 'FNR == 1 { print FILENAME }' *; awk 1 code; echo $?`,
    `cat missing.tar | tar x; echo $?; : | tar tf -; echo $?; tar xzf empty.txt; echo $?; : | gunzip; echo $?; od -c missing; echo $?`,
  ],
  "rm, stat, od, xxd, uname": [
    `rm -v fruit.txt missing; rm -d code; mkdir e; rm -dv e; rm -rfv code | sort; rm; echo $?; rm -f; echo $?; touch ./-x; rm -- -x; rm -x; echo $?; rm -rf logs/ && ls; rm -rf fruit.txt/; rm fruit.txt/; echo $?; cat fruit.txt`,
    `stat -c '%8s|%-12n|%05s|%%|%A %a %F %f %h' fruit.txt empty.txt; stat --printf '%s\\t%n\\n' fruit.txt; stat -c %s missing; echo $?; stat; echo $?; touch "it's"; stat -c %N fruit.txt; stat -c '%s of 100%' "it's"; stat fruit.txt | head -1`,
    `echo Hello world | od -t x1 -t c; printf 'ab\\n' | od -An -c -tx1; printf 'a\\nb' | od -b -c; printf 'ab' | od -An -tx1 -c; printf ab | od -vxAd -c; echo Abcdefghijklmnopqrst | od -xc; head -c 20 fruit.txt | od -A x -t x1z -t u2 -v; echo hi | xxd -plain; echo hello | xxd -cols 2 -groupsize 1`,
    `uname; uname -s; uname -sr | wc -w; readlink; echo $?; readlink missing; echo $?; readlink -e missing; echo $?; readlink -fn fruit.txt | wc -l; readlink -f nodir/x; echo $?; date -d 1.2.2020; echo $?; head - < fruit.txt | tail -1 -; date -r missing; echo $?`,
  ],
  "sed without text, steps of bc, and exported names": [
    `printf 'a\\nb' | sed '$a\\'; printf 'a\\nb\\n' | sed '$a\\' | wc -l; printf a > f; sed -i -e '$a\\' f; wc -c < f; sed '1i\\' fruit.txt | head -1; sed '1c\\' fruit.txt | head -1; seq 3 | sed -e '2i\\' -e before -e '3c changed'; seq 3 | sed '2a\\\nnew\\\ntwo'; seq 2 | sed 'a '; echo $?`,
    `echo 'x=3; ++x; x++; x; x--; --x; 5 - -x; x+++1' | bc; echo '++5' | bc; echo 'v=5;--v' | bc`,
    `export A1=3; bash -c 'export -p; declare -p A1' x y | grep -c '[#*0@]='; eval "$(export -p)"; echo $?; FOO=1; printenv FOO; echo $?; printenv A1 NOPE; echo $?; B=2 printenv B; printenv | grep -c '^IFS'; foo=$(< missing); echo $?`,
  ],
  "words that look like assignments, and strings in substitutions": [
    `for o in a=1 b=2; do case $o in a=*) echo A ;; x | b=?) echo B ;; esac; done; case x=1 in x=*) echo yes ;; esac; a=(A=1 "c=3"); echo "\${a[@]}"; C=(echo hi); case a in a) ("\${C[@]}" 2>&1 | cat) & wait ;; b) ("\${C[@]}") ;; esac; case b in a) : ;; b) ("\${C[@]}") ;; esac`,
    `d=$'a,1\\nb,2'; x="$(cut -d, -f1 <<< "$d" | sort -r)"; echo "$x"; y="$(\n  sed -n 2p <<<"$d" | head -n 1\n)"; echo "$y"; z="$(cat <<EOF\nq $d "\nEOF\n)"; echo "$z"`,
    `f() { echo $(( $(echo 2) + 1 )); }; declare -f f > fn; . ./fn; f; bash -n -c 'echo $(($(echo 1) + 1))'; echo $?`,
  ],
  "tables of signals, aliases, dumps and tagged digests": [
    `trap -l; kill -l | tail -2; alias ll='ls -l' g='grep'; alias -p; alias; unalias ll; alias -p`,
    `sha256sum --tag fruit.txt numbers.txt; md5sum --tag < fruit.txt; sha1sum --tag fruit.txt > s; sha1sum -c s; echo x >> fruit.txt; sha1sum -c s; echo $?`,
    `hexdump fruit.txt; printf 'abc' | hexdump; head -c 64 /dev/zero | hexdump; head -c 64 /dev/zero | hexdump -v; hexdump -n 5 -s 2 fruit.txt; for o in c b d o x; do hexdump -$o poem.txt; done; printf 'a\\0\\t\\377' | hexdump -c; : | hexdump`,
  ],
  "backslashes that read takes": [
    `printf 'a\\\\bc\\\\ndef' | { read -N 5 x; echo "[$x]"; cat; }; printf 'a\\\\bc\\\\ndef' | { read -r -N 5 x; echo "[$x]"; }; printf 'a\\\\\\nb' | { read -N 3 x; echo "$? [$x]"; }; printf 'é\\\\éx' | { read -N 2 x; echo "[$x]"; cat; }; printf 'a\\\\\\\\\\\\' | { read -N 9 x; echo "$? [$x]"; }`,
    `printf 'abc\\\\' | { read x; echo "$? [$x]"; }; printf 'abc\\\\' | { read -r x; echo "$? [$x]"; }; printf 'a b\\\\' | { read x y; echo "$? [$x] [$y]"; }; printf 'ab\\\\' | { read -n 5 x; echo "$? [$x]"; }; printf 'a\\\\b\\\\\\\\c' | { read -n 3 x; echo "[$x]"; }; printf 'a\\\\\\\\' | { read -n 2 x; echo "[$x]"; }; read x y <<< 'a\\ b c\\'; echo "[$x][$y]"`,
  ],
  "environments without variables": [
    `env -i env; env -i A=1 env; env -i A=1 bash -c 'env | grep -v ^_ | sort; echo "[$HOME]" \${HOME-unset} \${PATH:+path}; cd; echo $?; IFS=,; x=a,b; echo $x'`,
    `(unset HOME; env | grep ^HOME; bash -c 'echo \${HOME-unset}'; echo "\${HOME-unset}"; cd; echo $?); env -u HOME bash -c 'echo \${HOME-unset} \${PATH:+path}; ls > /dev/null && echo found'`,
    `export B=2; env -i HOME=/x bash -c 'echo $HOME \${B-unset}; bash -c "echo \\$HOME \\$B"'; env - C=3 bash -c 'echo $C $SHLVL'; sh -c 'echo $B $HOME'`,
  ],
};
