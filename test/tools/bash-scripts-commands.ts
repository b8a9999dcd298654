import type { Script } from "./bash-scripts.ts";

/** Scripts about one command each, which run with the same files. */
export const COMMAND_SCRIPTS: Readonly<Record<string, readonly Script[]>> = {
  find: [
    `find . -type f -exec grep -q fig {} \\; -print | sort; find . -type f -exec false \\; -o -name '*.csv' -print; echo $?; find . -name '*.csv' -exec false {} +; echo $?; find . -name '*.csv' -exec bash -c 'f="{}"; echo "\${f:2}"' \\;`,
    `find . -regex '.*\\.\\(csv\\|h\\)' | sort; find . -regextype posix-extended -regex '.*\\.(csv|h)$' | sort; find code -iregex '.*/UTIL.+' | sort; find . -name '[!a-m]*.txt' -o -name '[[:digit:]]*' | sort; find . -path './code/*' -iname 'MAIN.?'`,
    `find '' -name x; echo $?; find "$none"; echo $?; find ./ -maxdepth 1 | sort; find code/ | sort; find code// -name '*.c' | sort; cd code; find ../logs | sort; find . -maxdepth 0`,
    `mkdir .h; touch .h/in -d '3 days ago'; find . -mindepth 1 -name '.*' -prune -o -type d -print | sort; find . -type f -mtime +0; find . -mtime 3; find . -type f -mtime -1 -name 'f*'; find . -daystart -mtime 0 -name 'f*'; find . -mmin -5 -name fruit.txt -quit; find . -type f -newermt '2 days ago' -name 'p*' | sort`,
    `find code -depth | tail -1; find code -name '*.h' -execdir echo {} \\; ; find code -type f -printf '%P|%f|%h|%s|%y|%d|%H|%-8f|\\n' | sort; find fruit.txt -printf '%p\\t%TY\\n' | grep -c "$(date +%Y)"; find . -type f -print0 | tr '\\0' '\\n' | sort | head -2; find . -name fruit.txt -ls | awk '{print NF, $NF}'`,
    `find . -perm -u+r -name 'f*'; chmod 600 fruit.txt; find . -type f -perm 600; find . -type f ! -perm -o=r; find . -type f -perm /111; find . -size +40c -type f | sort; find . -size 1 -name '*.csv'; find . -type d -empty; mkdir e; find . -empty | sort; find logs -delete; ls logs 2> /dev/null; echo $?`,
    `find . -nothing; echo $?; find . -type q; echo $?; find . -name; echo $?; find . \\( -name a; echo $?; find . -name a b; echo $?; find . -exec echo; echo $?; find . -newer missing; echo $?; find missing code -name '*.h'; echo $?`,
    `find . -type f \\( -name '*.c' -o -name '*.h' \\) -not -path '*/lib/*' | sort; find . -type d -name lib -prune -o -name '*.c' -print; for f in $(find . -name '*.h'); do basename $f; done; find . -name '*.h' -exec mv {} {}.old \\; ; find . -name '*.old' -exec sh -c 'mv "$1" "\${1%.old}"' _ {} \\; ; ls code/lib`,
  ],
  xargs: [
    `printf '' | xargs echo none; printf '' | xargs -r echo none; printf '' | xargs -I{} echo none; seq 5 | xargs -n2; seq 100000 | xargs | wc -l; seq 3 | xargs -I% echo '<%%>'; printf 'a\\n  b\\n\\n c  \\n' | xargs -I{} echo '<{}>'`,
    `echo "it's" | xargs; echo $?; echo 'a "b c" d\\ e' | xargs -n1; printf 'a b\\nc d\\n\\ne\\n' | xargs -L2 echo; printf 'a b\\nc\\n' | xargs -l echo; printf 'a b\\n' | xargs -i echo '{}!'; printf 'a,,b' | xargs -d, -n1 echo; printf 'x\\0y z\\0' | xargs -0 -I{} echo '[{}]'`,
    `echo x | xargs nosuch; echo $?; echo x | xargs false; echo $?; echo x y | xargs -n1 sh -c 'exit 255'; echo $?; echo x | xargs -n0 echo; echo $?; xargs -a numbers.txt echo; xargs -n1 basename < <(echo a/b c/d); echo 'x*y $HOME' | xargs echo; echo 1 2 3 4 | xargs -n2 bash -c 'echo $0-$1'; echo a b END c | xargs -E END`,
  ],
  "numbers, tabs and widths": [
    `seq -w -5 5 10; seq -w -2 2; seq -w 8 11; seq 1.0 3; seq 1 0.50 2; seq 1 3.5; seq -w .5 .25 10 | tail -1; seq 10 -2.5 0; seq -s, 1.5 4; seq 1e1 12; seq 5 1; seq -f 'n %03g%%' 2; seq -ws: 9 11; seq 1 0 3; echo $?; seq a; echo $?; seq 1e-1 .1 .3; seq -- -1 1`,
    `printf 'a\\nb\\nc' | tac; echo; printf 'a\\nb' > x; printf 'c\\nd' > y; tac x y; echo; tac -s, <<< a,b,c; printf 'xaxb' | tac -b -s x; echo; printf 'a1b2c\\n' | tac -r -s '[0-9]'`,
    `printf 'a\\tb\\nñandú 日本語\\n\\tx\\n' | wc -L; printf '\\tx\\ta\\tb\\tc\\n' > t; expand -t 4,8 t; expand -t4 t; expand -i -2 t; expand t; printf '        x    a       b\\n    c\\n' > s; unexpand s; unexpand -a s; unexpand -t 4 s; unexpand --first-only -t 4 s; unexpand -t 4,8 s; expand -t 0 s; echo $?`,
  ],
  "lists, keys and references": [
    `declare -A c=([a]="It's here" [b]='say "hi"' [d]=plain [e]=x\\ y [f]="a b's" [g]='$HOME \\n' ['k k']="v" ["it's"]=w [h]=); for k in a b d e f g 'k k' "it's" h; do echo "$k=\${c[$k]}"; done; c+=([y]="don't"); echo "\${c[y]}" \${#c[@]}; declare -a l=('a\\b' "c'd" [5]="e f" 'x y\\z'); printf '<%s>' "\${l[@]}" "\${!l[@]}"; f() { local -A m=([k]="don't" ["x y"]=1); local -a n=('q\\r' "$1"); echo "\${m[k]} \${m[x y]} \${n[*]}"; }; f 'p q'`,
    `declare -A m=([C]=2 [a.b]=3 [x-1]=4); f() { local -i s; s=\${m[$1]}; echo "$s \${m[$1]} \${m["$1"]} \${m[\${1}]} \${m[\${1%z}]:-no}"; }; f C; f a.b; t=a.b.gz; echo \${m[\${t%.gz}]} \${m[$(echo x-1)]}; set -- C; [[ -v m[$1] ]] && echo set; (( m[$1]++ )); echo \${m[C]}`,
    `e=() g=(a b); f() { local -n r=$1; for x in "\${r[@]}"; do echo "<$x>"; done; for x in \${r[*]}; do echo "<$x>"; done; echo \${#r[@]} "\${r[*]}" "\${r[0]-none}"; y=("\${r[@]}"); echo \${#y[@]}; }; f g; f e; f missing`,
    `f() { local OPTIND o k; while getopts :k:v o; do case $o in k) k=$OPTARG ;; v) echo v ;; esac; done; shift $((OPTIND - 1)); echo "$k $#: $*"; }; f -k 1 -v a b; f -v c; f d`,
  ],
  "what expressions say in other words": [
    `b=0101 m=08 h=ff; echo $((2#$b)) $((10#$m + 1)) $((16#$h)) $((16#\${h:0:1})) $((10#\${m})); set -- 09 7 '*' 6; echo $((10#$1)) $(($2 $3 $4)); a=(07 08); echo $((10#\${a[1]})); op=+; ((c = 5 $op 2)); echo $c $((c $op $op 1)); for o in + - '*' / % '**'; do echo $((7 $o 2)); done; e='2*3+1'; echo $((e)) $(($e)) $((($e) * 2))`,
    `printf '%u %x %o %X\\n' -1 -1 -1 -255; printf '%d %u %x\\n' 9223372036854775807 18446744073709551615 0xfffffffffffffff; printf '%u\\n' $((2 ** 63)); printf '[%5u] [%-5x] [%05X] [%#x] [%+d]\\n' 7 255 -1 -1 9007199254740993; printf '%.2f\\n' abc; echo $?; printf '%.1f %e\\n' 1.25 1e3 .5; printf '%f\\n' 1,5; echo $?`,
    `cat <<E\n\${x:-~/y} \${x:-"q"} \${x:-'q'} \${x:+~} $'a\\tb' ~ 'x' \${x:-a b}\nE\necho "\${u:-~/y} \${u:-'q'} \${u:-"q q"} $'a'" \${u:-~/y} \${u:-'q  q'}`,
  ],
  "dates and patterns": [
    `for d in 2024/2/5 20240205 2/5/2024 '5 Feb 2024' 'February 5, 2024' 'Mon, 05 Feb 2024 10:00:00 +0000' 2024-02-05T10:30:00+02:00 '2024-02-05 10:30:00 -0500' '2024-02-05 10:30pm' '2024/2/5 + 3 days' '2015-01-24T23:59:59Z +1000000000 second' '2024-2-5 1:02' '2024-02-05 2 hours' 2024-02-30 10:61 '2024-02-05 25:00' noon; do date -u -d "$d" '+%F %T' || echo "no $d"; done; date -d 10pm +%T`,
    `shopt -s extglob; for x in '|' + - ab; do case $x in @([|+])) echo bar ;; +([-])) echo dash ;; !(*[[:punct:]]*)) echo "$x" ;; esac; done; [[ '|+|' == +([|+]) ]] && echo all; v='a|b+c'; echo "\${v//@([|+])/_}" "\${v//+([[:alpha:]|])/X}"; n=(1 2 3) i=1; echo \${n[\${#n[@]}-1]} \${n[$((i + 1))]} "\${n[\${i#x}]}" \${n[-1]}`,
  ],
  "directories that are missing": [
    `cp fruit.txt new/; echo $?; mv fruit.txt new/; echo $?; ls -d new fruit.txt 2> /dev/null; mkdir d; cp fruit.txt d/; mv numbers.txt d/; ls d; cp -r code copy/; ls copy; mv copy moved/; ls moved`,
  ],
  "what is in no order, and lists of sums": [
    `comm fruit.txt numbers.txt; echo $?; comm fruit.txt fruit.txt > /dev/null; echo $?; join numbers.txt fruit.txt; echo $?; join --nocheck-order numbers.txt fruit.txt; echo $?; join <(sort fruit.txt) <(sort fruit.txt) | wc -l; comm -12 <(sort fruit.txt) <(sort -u fruit.txt) | wc -l; md5sum -c fruit.txt; echo $?; sha256sum fruit.txt | sha256sum -c; bash -c 'env' | grep -v '^[A-Za-z_][A-Za-z0-9_]*='; cmp -s fruit.txt numbers.txt; echo $?`,
  ],
  "what is read": [
    `exec < fruit.txt; echo x | cat; echo y | tr a-z A-Z; read a; echo "$a"; echo z | { read b; echo "<$b>"; }; read c; echo "$c"; seq 2 | while read l; do echo "$l"; done; wc -l`,
    `echo pear | grep -n pear fruit.txt - missing; echo $?; echo pear | grep -c pear -; grep -l pear < fruit.txt; echo q | grep -L pear; echo fig | grep -nf - fruit.txt; grep -q fig < fruit.txt; echo $?; echo a | grep -H a; grep -c zz < fruit.txt`,
    `printf 'a\\n\\nb\\n' | nl; nl -s': ' -w3 poem.txt; R='\\e[31m'; printf '%b%s%b' "$R" 'x\\e' '\\e[0m' | od -c; printf '\\42z\\429|%3c|%-3c|%c\\n' a b cd; printf '\\xaq' | od -c`,
  ],
  "what files take, and what is newer": [
    `head -c 5000 /dev/zero > big; du -h big; du -b big; du -ch fruit.txt big; du missing; echo $?; printf '2K\\n3000\\n1K\\n-1K\\n-5\\n1M\\n0\\n' | sort -h; ls ''; echo $?`,
    `touch -d 2020-01-01 old; cp -u fruit.txt n; head -1 n; cp -u old n; head -1 n; mv -u old n; echo $?; ls old; mkdir t; cp -u fruit.txt poem.txt t; ls t; cp -u fruit.txt t; mv n n; echo $?; mv n ./n; echo $?; date -d 2024-05-15 +%q`,
  ],
  "traps for failures": [
    `set -Eeuo pipefail; trap 'echo "failed at $LINENO: $BASH_COMMAND"' ERR; for i in 1; do true; done; if true; then case x in x) false ;; esac; fi`,
    `set -o errtrace; trap 'echo failed' ERR; f() { false; true; }; f; { false; true; }; while false; do :; done; for x in 1; do false; done; case x in x) false ;; esac; true | false`,
  ],
  "what is refused aloud": [
    `mkdir a b; cd a b; echo $?; pwd; cd; pwd; [ 1 -eq ]; echo $?; n=; [ "$n" -gt 0 ] || echo none; [ $n -gt 0 ]; echo $?; [ 3 -gt 2.5 ]; echo $?; [ 1 -eq x ]; echo $?; [ a b ]; echo $?; [ " 5 " -eq +5 ] && echo five; [ ! 1 -eq 2 -a 2 -gt -1 ] && echo both; [ -eq = -eq ] && echo same; [ ! "" ] && echo empty; [ a = -eq -o 3 -gt 2 ] && echo word; [ ! -gt = -lt ] && echo words; [ \\( a -gt 2 \\) ]; echo $?`,
    `for i in 1 2; do (continue; echo "in $i"); echo "after $i"; done; for i in 1 2; do echo $i | { read x; continue; echo "in $x"; }; echo "after $i"; done; f() { [ $1 = 2 ] && continue; echo f$1; }; for i in 1 2 3; do f $i; done; for i in 1 2; do y=$(echo a; continue; echo b); echo "<$y> $?"; done; for i in 1 2; do false || { [ $i = 1 ] && continue; }; eval break; done; echo $i; break; echo $?`,
  ],
  "what is written beside a command": [
    `IFS=: read -r a b < <(echo 1:2:3); echo "$a|$b"; A=5 bash -c 'cat; echo $A' < <(echo in); IFS=$'\\n' read -r -d '' -a l < <(printf 'a b\\nc\\n\\0'); printf '<%s>' "\${l[@]}"; f() { echo "$V"; }; V=3 f < <(:); echo "[$V]"; B=4 cat <(echo "[$B]")`,
    `v=$'a\\n\\tb\\n\\t\\tc'; cat <<-E\n\tx\n\t$v\n\t\ty\tz\n\tE\ncat <<-'E' | cat\n\t\t\t$v\n\tE`,
    `log() { echo "\${FUNCNAME[1]:-none} \${FUNCNAME[1]+set} \${BASH_LINENO[0]:-0}"; }; g() { log; }; g; echo "\${FUNCNAME[0]:-main}"; [ -x "$(command -v sed)" ] && [ -x /bin/bash ] && echo executable`,
    `(exit 3) & wait $!; echo $?; wait -n; echo $?; wait; (exit 4) & p=$!; wait $p; wait $p; echo $?`,
    `printf 'a\\0b\\0c\\0' | sed -z N | od -c; printf 'a\\0b\\0' | sed -z 'H;$!d;x' | od -c; printf 'x\\ny\\0z\\0' | sed -nz P | od -c; sed -z 's/apple\\nfig/X/' fruit.txt; printf '%f %d %g %e %.0f\\n' -0 -0 -0 -0 -0; awk 'BEGIN {printf "%d %.1f %g\\n", -0.5, -0.04, -0.5}'; id -un > /dev/null; id -g | grep -c '^[0-9]*$'`,
  ],
  "what is in another directory": [
    `(cd code && ls) > o1; { cd code; ls; } > o2; cd ..; for i in 1; do cd logs; ls; done >> o3; cd ..; f() { cd code; ls; }; f > o4; cd ..; (cd code; cat main.c missing) > o5 2>&1; (cd code; cat missing) 2> o6; (cd logs; echo x) &> o7; if true; then cd code; echo y; fi >| fruit.txt; cd ..; cd code > o8; cd ..; find . -name 'o?' | sort; cat o? fruit.txt`,
    `echo code | while read d; do cd $d; pwd; done; pwd; { cd logs; pwd; } | cat; pwd; cd code; ls | { cd ..; cat; }; pwd; cd - | cat; cd -`,
  ],
  "names before parentheses, and keys with spaces": [
    `awk '{s = s (NR > 1 ? "," : "") $0} END {print s}' fruit.txt; awk 'function f(x) {return x "!"} BEGIN {x = "a"; print x (1 + 2) "b", length ("abc"), f("p"); n = split ("a b", q); print n (n > 1 ? "s" : "")}'`,
    `declare -A m=([x y]=z [a b]="c d" [k]=v); echo "\${m[x y]} \${m[a b]} \${m[k]} \${#m[@]}"; f() { local -A q=([one two three]=3); echo "\${q[one two three]}"; }; f; f() { local -a q=(a [3]=b c); echo "\${!q[@]}"; }; f; declare -a g=([a-z]*.txt "[b c"); echo "\${#g[@]} \${g[-1]}"`,
  ],
  "numbers as bash reads and writes them": [
    `[[ 3 -gt 2.5 ]]; echo $?; [[ 08 -eq 8 ]]; echo $?; [[ 1/0 -eq 1 ]]; echo $?; if [[ 1.5 -lt 2 ]]; then echo less; else echo no; fi; [[ '2*3' -eq 6 && 0x10 -eq 16 && "" -eq 0 && 0 -eq 00 ]] && echo same`,
    `printf '%.1f %.2f %.0f %.0f %.3f %.1f %.2f %f\n' 2.35 1.005 0.5 2.5 1e-3 -0.05 12345678901234567.125 .1; printf '[%8.1f] [%-8.2f] [%+08.2f]\n' 0.25 1.115 2.675`,
  ],
  "replacing, and naming, what is in variables": [
    `u='a%20b%2Fc'; printf '%b\n' "\${u//%/\\x}"; p='#a#b%'; echo "\${p//#/-} \${p/#"#"/x} \${p/#/y} \${p/%%/z} \${p/%/e} \${p//%/}"; a=(1% 2%3); echo "\${a[@]//%/pct}"`,
    `declare -A m=([k]=v); declare -p m; m=(["a b"]='c $d'); declare -p m; declare -A n=([x.y/z-1]=); declare -p n; eval "$(declare -p m)"; echo "\${m[a b]}"; a=(1 'b c'); declare -p a; echo "[$!]"; [ -n "$BASH" ] && echo bash`,
  ],
  "lines without an end, and dumps with gaps": [
    `head -c -5 fruit.txt; head --bytes=-3 noeol.txt; echo; cat fruit.txt | head -c-20; head -c -0 numbers.txt; head -n -4 fruit.txt; head -n-3 fruit.txt`,
    `for s in G 'G;s/$/x/' x g 'H;x' 'x;G' 'h;G' '$!N' '1!G;h;$!d' 'H;$!d;x;s/\\n//' 's/a/b/' p; do printf 'a' | sed "$s" | od -An -c; done`,
    `printf '0: 41\n4: 42 43\n00000010: 4445 46  DEF\n' | xxd -r | od -c; printf '        a\n' | unexpand -f; echo $?`,
  ],
  "what commands leave to the next": [
    `exec < fruit.txt; head -1; cat; { head -1; sort; } < people.csv; (sed -u 1q; sort) < people.csv; seq 5 | { cat; cat; }; while read n; do head -1; done < numbers.txt; seq 6 | while read a; do echo "a$a"; cat > rest; done; cat rest; { head -c 3; echo; tail -1; } < fruit.txt; { head -3 | tail -1; cat; } < fruit.txt`,
    `while read -r f; do wc -l "$f"; grep -c a "$f"; head -1 "$f"; sort "$f" | tail -1; base64 "$f" | head -1; timeout 5 cat "$f" | wc -l; env A=1 cat "$f" | wc -l; ls "$f"; bash -c 'echo $0' "$f"; awk 'END{print NR}' "$f"; jq -Rs length "$f"; done < <(printf 'fruit.txt\nnumbers.txt\n')`,
  ],
  "stdout and stderr in their order": [
    `f() { echo 1; echo 2 >&2; echo 3; }; f 2>&1; x=$(f 2>&1); echo "$x"; f > all 2>&1; f >> all 2>&1; cat all; { echo a >&2; echo b; } 2>&1 | cat; f |& cat; for i in 1 2 3; do [ $i = 2 ] && continue; echo o$i; echo e$i >&2; done &> mix; cat mix; (f; f) 2>&1; { f; } 2>&1 > /dev/null; if f; then f; fi 2>&1; { f 2> /dev/null; f; } 2>&1`,
    `printf 'echo é1\nls nope 2> /dev/null || echo "2 é" >&2\nif true; then echo 3 >&2; echo 4; fi\nexit 5\n' > s.sh; bash s.sh 2>&1; echo $?; sh s.sh > o 2>&1; cat o; bash -c 'echo a; echo b >&2; echo c' 2>&1 | cat -n; while read l; do echo $l; echo \${l}e >&2; [ $l = 2 ] && break; done < numbers.txt 2>&1; case a in a) echo x >&2; echo y ;; esac 2>&1`,
  ],
  "what reads a pipe, and which file runs": [
    `echo hi | if read x; then echo "got $x"; fi; echo abc | case x in x) cat ;; esac; seq 2 | for i in a; do cat; done; seq 2 | for ((i = 0; i < 1; i++)); do cat; done; true | if read x; then echo no; fi; exec < fruit.txt; echo q | if true; then cat; fi; if read x; then echo "$x"; fi`,
    `mkdir -p bin lib; printf 'lib() { echo "\${BASH_SOURCE[0]##*/} \${BASH_SOURCE[1]##*/}"; }\necho "in \${BASH_SOURCE[0]}"\n' > lib/l.sh; printf 'D="$(cd "$(dirname "\${BASH_SOURCE[0]}")" && pwd)"\n. "$D/../lib/l.sh"\nlib\necho "$D \${BASH_SOURCE##*/}"\n[ "\${BASH_SOURCE[0]}" = "$0" ] && echo run\n' > bin/r.sh; chmod +x bin/r.sh; bin/r.sh; bash bin/r.sh; sh bin/r.sh 2>&1 | grep -c l.sh > /dev/null; (cd lib; ../bin/r.sh; bash ../bin/r.sh); . bin/r.sh; echo "[$BASH_SOURCE]"; bash -c 'echo "[\${BASH_SOURCE[0]}]"' name`,
    `grep -r NOTE code/main.c; grep -rn -e NOTE code/main.c; grep -rH NOTE code/main.c; grep -r util code/lib/util.c code/lib/util.h; grep -rA1 NOTE code/main.c; grep -rc NOTE code/main.c; set -x; { echo a; [ 1 = 1 ]; } 2>&1 | cat`,
  ],
  "archives, installed files, sums, and yes": [
    `tar -cf a.tar code fruit.txt; tar -tf a.tar | sort; mkdir x; tar -xf a.tar -C x; diff -r code x/code && echo same; tar xvf a.tar -C x fruit.txt; tar -xOf a.tar fruit.txt | head -1; tar czf b.tar.gz -C code lib; tar tzf b.tar.gz | sort; tar -tzf b.tar.gz lib/util.c; tar cf - fruit.txt | tar tf -; tar xf nope.tar 2> /dev/null; echo $?; tar -cvf c.tar fruit.txt numbers.txt; tar --exclude='*.h' --exclude=main.? -cf d.tar code && tar tf d.tar | sort; tar cf e.tar --exclude lib/ code/ && tar tf e.tar | sort; tar xf a.tar --exclude=code -C x; tar -tf a.tar missing 2> /dev/null; echo $?; tar -tf fruit.txt 2> /dev/null; echo $?`,
    ["tar cf a.tar fruit.txt -C code main.c; tar tf a.tar", "-C behind names is refused"],
    `n=$(printf 'd%.0s' {1..120}); mkdir $n; echo q > $n/é; tar cf l.tar $n; rm -r $n; tar xf l.tar; cat $n/é; chmod 755 fruit.txt; touch -d '2024-01-02 03:04:05' fruit.txt; tar czvf m.tgz fruit.txt; tar tvf m.tgz | awk '{ print $1, $3, $4, $5, $6 }'; rm fruit.txt; tar xzf m.tgz; stat -c '%a %y' fruit.txt; gunzip < m.tgz | tar tf -`,
    `install -d x/y z; install -m 600 fruit.txt x/new.txt; stat -c %a x/new.txt; install fruit.txt numbers.txt x/y; ls x/y; stat -c %a x/y/fruit.txt; install -D fruit.txt q/w/e.txt; install -Dm644 fruit.txt -t tt; ls q/w tt; install -m u=rw,go=r fruit.txt z/f; stat -c %a z/f; install nope z; echo $?; install -v fruit.txt z/v; install fruit.txt missing/; echo $?`,
    `sha512sum fruit.txt numbers.txt > s; sha512sum -c s; echo x >> fruit.txt; sha512sum -c s; echo $?; sha512sum --status -c s; echo $?; sha512sum --quiet -c s; echo -n abc | sha384sum; sha512sum nope; echo $?; rm numbers.txt; sha512sum -c s; echo bad | sha512sum -c; echo $?`,
    `yes | head -3; yes a b | head -n 2; yes | { read x; echo $x; }; yes n | sed 2q; yes | head -1 > f; echo \${PIPESTATUS[@]}`,
  ],
  "sort -m, wc, timeout, diff -N": [
    `printf 'b\\na\\n' > x; printf 'd\\nc\\n' > y; sort -m x y; sort -mu x x; sort -mr x y; sort -m -k1.1 fruit.txt - x < y; printf '1\\n3\\n' | sort -mn - numbers.txt; sort -mu fruit.txt poem.txt; sort -m empty.txt`,
    `wc code; wc -l code fruit.txt; wc -l code; wc -c code missing; cat fruit.txt | wc - code`,
    `{ timeout -s KILL 0.1 sleep 5; echo $?; timeout -sKILL 0.1 sleep 5; echo $?; timeout --signal=9 0.1 sleep 5; echo $?; timeout --preserve-status 0.1 sleep 5; echo $?; timeout -s INT 0.1 sleep 5; echo $?; timeout -s SIGINT --preserve-status 0.1 sleep 5; echo $?; timeout -k 1 0.1 sleep 5; echo $?; timeout -s KILL 5 true; echo $?; } 2> /dev/null`,
    `diff -N m1 m2; echo $?; diff -N m1 fruit.txt; diff -rN code logs | head -3; uname -i; uname -p; uname -pi`,
    `for c in cat head 'wc -l' ls stat 'sort' 'grep a' 'test -e' '[ -f'; do $c fruit.txt/ $([ "$c" = '[ -f' ] && echo ]); echo $?; done; cat < fruit.txt/; echo x > fruit.txt/; cp fruit.txt/ x; mv fruit.txt/ y; ls; ls code/ -d; cat code/main.c; cd code/lib/ && pwd`,
  ],
  "parts of files, folded lines, printable runs and infinite numbers": [
    `seq 10 > n; split -n l/3 n p_; head p_*; split -n 3 n q_; wc -c q_*; split -n l/2/3 n; split -n r/3 n r_; head r_*; split -l 4 -d -a 3 n d; cat d002; split -b 5 --additional-suffix=.x n b_; ls b_*; split -C 6 n c_; head -2 c_aa; split absent; echo $?`,
    `fold -s -w 8 <<< 'hello world foo bar'; printf 'a\\tbcd\\n' | fold -w 8; printf 'ab\\bcd\\n' | fold -w 2; printf 'abcdef' | fold -w 4; fold -5 <<< 'abcdefgh'; printf 'a b\\n\\nlong line here\\n' | fold -sw 6; fold -w 0 <<< x; echo $?; printf 'xy\\rz\\n' | fold -w 2 | od -c; echo héllo | fold -b -w 2 | od -c`,
    `printf '%s\\n' inf 3 nan -inf 1e3 x 0x10 -5 '' | sort -g; printf '3\\n-nan\\n1\\n' | sort -gr; echo 'a—b' | awk '{ print gsub(/[[:punct:]]/, "P"), $0 }'; echo 'Ⅷ ª —' | grep -o '[[:alpha:]]'; echo '—' | grep -c '[[:punct:]]'`,
  ],
  "what timeout ends, and the names of signals": [
    `timeout 0.3 bash -c 'trap "echo bye" EXIT; echo a; sleep 2; echo b'; echo $?; timeout 0.3 bash -c 'trap "rm -f lock; echo cleaned" EXIT; touch lock; while :; do :; done'; echo $?; ls`,
    `timeout 1x true; echo $?; timeout 1; echo $?; timeout -z 1 true; echo $?; timeout --signal=INT 0.1 sleep 1; echo $?; timeout -k1 -s 9 0.1 sleep 1; echo $?; timeout 0 true; echo $?; timeout .1 awk 'BEGIN { while (1) i++ }'; echo $?; kill -l TERM; kill -l 143 15 SIGINT QUIT 9; kill -l NONE; echo $?`,
  ],
  "limits of time": [`timeout 0.2 cat <(sleep 1; echo no); echo $?; timeout 5 cat <(sleep 0.1; echo yes); echo $?;`],
  "quantifiers that repeat nothing": [
    `echo 'a b' | grep -E '\\b+a' 2> err; echo bx | grep -cE 'b$?x'; echo 'x.log' | grep -E '*.log' 2> err; echo 'xb' | grep -oE '?b|(*x)' 2> err; printf '%s\\n' a.log '*.log' | grep '*.log'; printf '%s\\n' ab '*ab' | grep '^*ab'; echo b | sed -E 's/a|*b/Y/' 2> err; echo $?; [[ b =~ *b ]] 2> err; echo $?; echo aab | sed -E 's/^a*/-/; s/$/+/'`,
    `echo 'a b' | awk '/b$?/ { print 1 } /^*a/ { print 2 } /(^)+a/ { print 3 } /b$*/ { print 4 }'; echo '*a +b' | awk '/^*a/ { print 1 } /(+b)/ { print 2 } /x|*a/ { print 3 }'`,
  ],
  "menus, questions and parts": [
    `PS3='pick> '; printf '2\\n9\\n\\nx\\n1\\n' | { select f in apple 'big fig' pear; do echo "$REPLY:$f"; [ "$f" = apple ] && break; done; echo "end $REPLY $f"; }`,
    `select x in a b; do echo "got $x"; done < /dev/null; echo $?; f() { select y; do echo $y; break; done; }; echo 2 | f one two; n=0; select z in p q; do case $z in q) break ;; *) continue ;; esac; done <<< $'1\\n2\\n1'; echo $z`,
    `find . -name '*.txt' -inum $(stat -c %i fruit.txt); find . -inum +0 -name 'poem*'; printf 'y\\nn\\nyes\\n' | find fruit.txt numbers.txt poem.txt -ok echo {} \\;; find . -name fruit.txt -ok rm {} \\; < /dev/null; ls fruit.txt`,
    `seq 10 > s; split -n l/2 s m; wc -l m*; printf 1234567 > t; split -n 3 t z; head z*; kill -l 0 EXIT; kill -0 $$; echo $?`,
    `[ "$(date +%s%3N)" -gt 1600000000000 ] && [ "$(for i in 1 2 3 4 5 6 7 8; do date +%3N; sleep 0.003; done | sort -u | wc -l)" -gt 1 ] && echo milliseconds`,
    `a=($(seq 300)); b=("\${a[@]/1/x}"); c=("\${b[@]#x}"); d=("\${c[@]%?}"); e=("\${d[@]//[2-4]/<&>}"); echo "\${#b[@]} \${b[99]} \${c[110]} \${d[250]} \${e[233]} \${a[10]%%1*}| \${a[1]%2}|"; v=a.b.c; echo \${v%.*} \${v%%.*} \${v#*.} \${v##*.} \${v/./-} \${v//./-} \${v/%c/z} \${v/#a/z} \${v//?/é} \${v//[!.]/}; w='😀é'; echo "\${w/?/x}" "\${w#?}" "\${w%?}"`,
    `tar cf x.tar code logs; mkdir out; tar xf x.tar --strip-components=1 -C out code; find out | sort; mkdir two; tar -x -f x.tar --strip-components 2 -C two; find two | sort; tar xvf x.tar -C two --strip-components=1 code/lib | sort`,
  ],
  "sums, factors, units, and orders of pairs": [
    `cksum fruit.txt; cksum < fruit.txt; cksum fruit.txt absent; echo $?; sum fruit.txt; sum -s fruit.txt empty.txt; printf '' | cksum; head -c 3000 /dev/zero | cksum; seq 5000 | sum; seq 5000 | sum -s`,
    `factor 12 1 0 97 1000000007 18446744073709551615; echo '6 7' | factor; factor x; echo $?`,
    `printf 'app lib\napp log\nlib core\nlog core\ntest app\n' | tsort; printf 'a d\nb d\nc d\na e\nc b\nf a\n' | tsort; printf 'a b c' | tsort; echo $?; printf 'x x\n' | tsort`,
    `numfmt --to=iec 1024 1536 1000000 999 1048575 10239 10240; numfmt --to=si 1000 1500 999999; numfmt --from=iec 1K 1.5M 2G; numfmt --from=auto 1Ki 1K; numfmt --to=iec-i --suffix=B 2048; echo 'a 2048 b' | numfmt --field=2 --to=iec; numfmt --to=iec abc; echo $?; numfmt 1K; echo $?`,
    `printf '1:2048\n' | numfmt -d: --field=2 --to=iec; printf 'name 123456789\nx 5\n' | numfmt --field 2 --to=si; printf '  1024  2048\n' | numfmt --to=iec --field=-; numfmt --padding=8 --to=iec 1024; numfmt --to-unit=1024 2048; numfmt --from-unit=512 4; numfmt --round=nearest --to=iec 1100 1150; numfmt 5 1.50; du -b fruit.txt | numfmt --to=iec`,
    `mkdir -m 700 x; mkdir -m u=rwx,go= y; mkdir -pm 711 z/w; mkdir -m 1777 t; mkdir --mode=750 v; mkdir -m a=rx s; mkdir -m g+w g; stat -c '%a %n' x y z z/w t v s g; mkdir -m 9 q; echo $?; mkdir -v -m 755 k; mkdir -m 700 x; echo $?; mkdir -p -m 700 t; stat -c %a t`,
    `[ "$(ls -i fruit.txt | cut -d' ' -f1)" = "$(stat -c %i fruit.txt)" ] && echo same; ls -i1 fruit.txt poem.txt | sed 's/^ *[0-9]* //'; ls -li fruit.txt | awk '{ print NF }'; awk --version | head -1 | cut -c1-7`,
  ],
};
