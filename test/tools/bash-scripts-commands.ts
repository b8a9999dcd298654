import type { Script } from "./bash-scripts.ts";

/** Scripts about one command each; they find the same files. */
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
};
