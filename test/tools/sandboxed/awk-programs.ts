/** Files that the programs read. */
export const FILES: Readonly<Record<string, string>> = {
  "people.csv": "name,age,city\nana,31,rome\nbo,27,oslo\ncy,45,rome\ndee,27,paris\n",
  words:
    "the quick brown fox\njumps over the lazy dog\n\nThe end of the line\n  leading blanks\ttab\there\ntrailing   \n",
  nums: "3 4 5\n10 20 30\n1.5 -2 1e3\n007 0x11 +5\nabc 1 2\n",
  paras: "name: x\nage: 3\n\n\nname: y\nage: 4\n\nlast one\n",
  noeol: "a b\nc d",
  empty: "",
  passwd:
    "root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\nuser:x:1000:1000:User,,,:/home/user:/bin/bash\n",
  utf: "éa über 日本 x\nnaïve ÀÉ 😀 smile\n",
  "prog.awk": "# a program\nfunction max(a, b) {\n  return a > b ? a : b\n}\n{ m = max(m, $1) }\nEND { print m }\n",
};

/** Scripts, and what they print with gawk 5.2. */
export const PROGRAMS: readonly (readonly [script: string, printed: string])[] = [
  [
    "awk 'BEGIN { i = 0; do i++; while (i < 5) print i; do { i-- } while (i > 0); print i; do\ni += 2\nwhile (i < 9)\nprint i }'",
    "5\n0\n10\n",
  ],
  [
    "awk 'BEGIN { do print \"x\"; while (n++ < 2); while (m < 3) m++; print m, n; for (;;) if (k++ > 3) break; print k; for (i = 0; i < 3; i++); print i }'",
    "x\nx\nx\n3 3\n5\n3\n",
  ],
  [
    'awk \'BEGIN { if (1) print "a"; else print "b"; if (0) print "c"\nelse print "d"\nif (1) { print "e" } else { print "f" }\nif (0)\n  print "g"\nelse if (1)\n  print "h"\nelse\n  print "i"\nif (1); else print 2; print "end" }\'',
    "a\nd\ne\nh\nend\n",
  ],
  ["awk '{ $2 = \"\"; print; print NF }' nums", "3  5\n3\n10  30\n3\n1.5  1e3\n3\n007  +5\n3\nabc  2\n3\n"],
  [
    "awk '{ $5 = \"five\"; print; print NF }' nums; awk '{ NF = 2; print; $0 = \"x y z\"; print NF, $3 }' nums; awk '{ NF += 2; print $0 \"|\" }' OFS=- nums",
    "3 4 5  five\n5\n10 20 30  five\n5\n1.5 -2 1e3  five\n5\n007 0x11 +5  five\n5\nabc 1 2  five\n5\n3 4\n3 z\n10 20\n3 z\n1.5 -2\n3 z\n007 0x11\n3 z\nabc 1\n3 z\n3-4-5--|\n10-20-30--|\n1.5--2-1e3--|\n007-0x11-+5--|\nabc-1-2--|\n",
  ],
  [
    "awk '{ $1 = $1 } 1' OFS=: words; awk '{ $3 = \"\"; $0 = $0; print NF }' words",
    "the:quick:brown:fox\njumps:over:the:lazy:dog\n\nThe:end:of:the:line\nleading:blanks:tab:here\ntrailing\n3\n4\n0\n4\n3\n1\n",
  ],
  [
    "awk -F: '{ print $1, $NF }' passwd; awk -F: '$3 >= 1000' passwd; awk -F: -v OFS=, '{ $1 = $1; print }' passwd",
    "root /bin/bash\ndaemon /usr/sbin/nologin\nuser /bin/bash\nuser:x:1000:1000:User,,,:/home/user:/bin/bash\nroot,x,0,0,root,/root,/bin/bash\ndaemon,x,1,1,daemon,/usr/sbin,/usr/sbin/nologin\nuser,x,1000,1000,User,,,,/home/user,/bin/bash\n",
  ],
  [
    'awk \'BEGIN { while ((getline line < "words") > 0) n++; print n; close("words"); getline < "words"; print $2, NF, NR; print (getline x < "absent") }\'',
    "6\nquick 4 0\n-1\n",
  ],
  [
    'awk \'NR == 1 { getline; print "got", $0, NR; getline x; print "x", x, NR, FNR }  END { print NR }\' words',
    "got jumps over the lazy dog 2\nx  3 3\n6\n",
  ],
  [
    'awk \'BEGIN { "echo a b; echo c" | getline; print $2, NR; "echo a b; echo c" | getline y; print y, NR; print ("echo a b; echo c" | getline y), y; close("echo a b; echo c"); "echo a b; echo c" | getline z; print z }\'',
    "b 0\nc 0\n0 c\na b\n",
  ],
  [
    'awk \'BEGIN { while ("echo 1; echo 2" | getline l) s += l; print s; cmd = "cat words"; while ((cmd | getline l) > 0) k++; print k, close(cmd), close(cmd) }\'',
    "3\n6 0 -1\n",
  ],
  [
    'awk \'BEGIN { printf "%d|%5d|%-5d|%05d|%+d|% d|%x|%X|%#x|%o|%#o|%c|%c|%s|%10s|%-10s|%.2s|%e|%E|%f|%.1f|%g|%G|%%|%i\\n", 42, 42, 42, 42, 42, 42, 255, 255, 255, 8, 8, 65, "hello", "str", "str", "str", "str", 12345.678, 12345.678, 3.14159, 2.25, 0.0001, 1e-10, 7.9 }\'',
    "42|   42|42   |00042|+42| 42|ff|FF|0xff|10|010|A|h|str|       str|str       |st|1.234568e+04|1.234568E+04|3.141590|2.2|0.0001|1E-10|%|7\n",
  ],
  [
    'awk \'BEGIN { a["x", 1] = 5; a["y", 2] = 6; if (("x", 1) in a) print "yes"; if (!(("x", 2) in a)) print "no"; for (k in a) { split(k, p, SUBSEP); n[p[1]] = p[2] } print n["x"], n["y"]; delete a["x", 1]; print length(a); delete a; print length(a) }\'',
    "yes\nno\n1 2\n1\n0\n",
  ],
  [
    'awk \'BEGIN { r = "^b.*n$"; print ("brown" ~ r), ("black" ~ r), "a+b" ~ "a\\\\+b", "a+b" ~ /a\\+b/, "a.b" ~ "a\\.b", "axb" ~ "a\\.b", match("foobar", "o+"), RSTART, RLENGTH, match("x", "y"), RSTART, RLENGTH }\'',
    "1 0 1 1 1 1 2 2 2 0 0 -1\n",
  ],
  [
    'awk \'BEGIN { print x + 0, x "", length(x), (x == 0), (x == ""), !x, -x; y[1]; print length(y), (1 in y), (2 in y), y[1] == 0, y[1] == "" }\'',
    "0  0 1 1 1 0\n1 1 0 1 1\n",
  ],
  [
    "awk -v RS='[0-9]+' '{ print NR, $0, RT }' nums; awk -v RS='a|e' 'END { print NR, RT }' words; awk 'BEGIN { RS = \"\\n|,\"} { print }' people.csv | head -4; printf 'a1b2c' | awk -v RS=[0-9] -v ORS='\\n' '{ print $0 \":\" RT }'",
    "1  3\n2   4\n3   5\n4 \n 10\n5   20\n6   30\n7 \n 1\n8 . 5\n9  - 2\n10   1\n11 e 3\n12 \n 007\n13   0\n14 x 11\n15  + 5\n16 \nabc  1\n17   2\n18 \n \n16 \nname\nage\ncity\nana\na:1\nb:2\nc:\n",
  ],
  [
    'echo \'Robbins,Arnold,"1234 A Pretty Street, NE",MyTown,MyState,12345-6789,USA\' | awk \'BEGIN { FPAT = "([^,]+)|(\\"[^\\"]+\\")" } { print "NF = ", NF; for (i = 1; i <= NF; i++) printf("$%d = <%s>\\n", i, $i) }\'',
    'NF =  7\n$1 = <Robbins>\n$2 = <Arnold>\n$3 = <"1234 A Pretty Street, NE">\n$4 = <MyTown>\n$5 = <MyState>\n$6 = <12345-6789>\n$7 = <USA>\n',
  ],
  [
    "echo 'a,\"b,c\",,d' | awk -v FPAT='([^,]*)|(\"[^\"]+\")' '{ print NF; for (i = 1; i <= NF; i++) print i, $i }'",
    '4\n1 a\n2 "b,c"\n3 \n4 d\n',
  ],
  [
    "printf '1234567890abc\\nab\\n' | awk 'BEGIN { FIELDWIDTHS = \"3 2 4\" } { print NF; for (i = 1; i <= NF; i++) print $i }'; echo 1234567890 | awk 'BEGIN { FIELDWIDTHS = \"2 1:3 *\" } { print $1, $2, $3, NF }'; printf 'a b c\\nd e f\\n' | awk 'NR == 1 { FIELDWIDTHS = \"1 3\" } { print $2 } NR == 2 { FS = \" \" }'",
    "3\n123\n45\n6789\n1\nab\n12 456 7890 3\nb\n e \n",
  ],
  [
    "awk -v 's=a\\tb\\nc\\\\d\\\"e\\/f' 'BEGIN { print s; print length(s) }'; awk -v 'x=\\101\\x41' 'BEGIN { print x }'; awk -v n=010 -v h=0x10 -v e=1e3 'BEGIN { print n + 0, h + 0, e + 0, n == 10, e == 1000, h == 16 }'",
    'a\tb\nc\\d"e/f\n11\nAA\n10 0 1000 1 1 0\n',
  ],
  [
    'A=1 B=\'x y\' awk \'BEGIN { print ENVIRON["A"], ENVIRON["B"], ENVIRON["A"] == 1, ("ABSENT" in ENVIRON) }\'; export ZZ=q; awk \'BEGIN { print ENVIRON["ZZ"]; system("echo $ZZ") }\'',
    "1 x y 1 0\nq\nq\n",
  ],
  [
    "awk 'FNR == 2 { nextfile } { print FILENAME, FNR, $1 }' nums words noeol; awk 'FNR == 1 { print FILENAME; nextfile }' nums words",
    "nums 1 3\nwords 1 the\nnoeol 1 a\nnums\nwords\n",
  ],
  [
    "awk 'function fact(n) { return n <= 1 ? 1 : n * fact(n - 1) } function fill(a, n,   i) { for (i = 1; i <= n; i++) a[i] = i * i } function sum(a,   i, s) { for (i in a) s += a[i]; return s } BEGIN { print fact(10), fact(20); fill(sq, 5); print sum(sq), length(sq), i == \"\" }'",
    "3628800 2432902008176640000\n55 5 1\n",
  ],
  [
    'awk \'function f(x) { x = 5; y = 6 } function g(a) { a["k"] = 1 } function h(a) { g(a); return length(a) } BEGIN { x = 1; f(x); print x, y; print h(z), z["k"]; f(); print f() + 0 "|" f() "|" }\'',
    "1 6\n1 1\n0||\n",
  ],
  [
    'awk \'{ print $1 > "out1"; print $2 >> "out2" } END { close("out1"); while ((getline l < "out1") > 0) print "r", l; print "more" > "out1" }\' nums; cat out1 out2',
    "r 3\nr 10\nr 1.5\nr 007\nr abc\nmore\n4\n20\n-2\n0x11\n1\n",
  ],
  [
    'awk \'{ print $1 | "sort -r" } END { print "before" }\' words; awk \'BEGIN { print "z" | "cat"; close("cat"); print "a" }\'; awk \'BEGIN { c = "sort -n"; print 10 | c; print 9 | c; r = close(c); print "end", r }\'; awk \'BEGIN { print "x" | "exit 3"; print close("exit 3") }\'',
    "trailing\nthe\nleading\njumps\nThe\n\nbefore\nz\na\n9\n10\nend 0\n3\n",
  ],
  [
    'awk \'BEGIN { r = system("exit 3"); print r; system("echo hi"); print system("true"), system("echo a; false") }\'; awk \'BEGIN { printf "no newline"; system(""); print ""; system("echo sys") ; print "after" }\'',
    "3\nhi\na\n0 1\nno newline\nsys\nafter\n",
  ],
  [
    'awk \'BEGIN { split("a b c", arr); print length(arr), length("abc"), length; $0 = "xyz w"; print length, length(), length $0; n = split("", e); print n, length(e) }\'',
    "3 3 0\n5 5 5xyz w\n0 0\n",
  ],
  [
    'awk \'BEGIN { s = "hello"; print substr(s, 0), substr(s, -1), substr(s, 2), substr(s, 0, 2), substr(s, -1, 3), substr(s, 5), substr(s, 6) "|", substr(s, 2, 0) "|", substr(s, 2, -1) "|", substr(s, 1.5, 1.5), substr(s, 1.4, 2.5), substr(s, 2, 100), substr(12345, 2, 3), substr(s, "2", "2"), substr(s, "x") }\'',
    "hello hello ello he hel o | | | h he ello 234 el hello\n",
  ],
  [
    'awk \'BEGIN { print tolower("ABC Éx"), toupper("abc éß"), toupper(substr("hello", 1, 1)) substr("hello", 2) }\'; awk \'BEGIN { printf "%c %c %c %c\\n", 65, "ABC", "65", 233; }\'; echo 65 66 | awk \'{ printf "%c%c\\n", $1, $2 + 0 }\'',
    "abc éx ABC Éß Hello\nA A 6 é\nAB\n",
  ],
  [
    "awk -f prog.awk nums; echo 'BEGIN { print \"one\" }' > a.awk; echo 'END { print \"two\", NR }' > b.awk; awk -f a.awk -f b.awk nums; awk -f a.awk -e 'END { print NR }' words; awk -f absent.awk; echo $?",
    "abc\none\ntwo 5\none\n6\n2\n",
  ],
  [
    "awk '{ print v, $1 }' v=1 noeol v=2 noeol; awk 'END { print v }' noeol v=9; awk 'BEGIN { print v \"|\" } { print v }' v=3 noeol; awk '{ print $2 }' FS=: passwd FS=, people.csv | head -5; awk 'END { print x }' x='a\\tb' noeol",
    "1 a\n1 c\n2 a\n2 c\n9\n|\n3\n3\nx\nx\nx\nage\n31\na\tb\n",
  ],
  [
    'awk \'BEGIN { a = 1; b = 2 # comment\n  c = a + \\\n      b\n  print c, # not the end\n    a\n  if (a &&\n      b) print "both"\n  if (a ||\n      b) print "or"\n  x = a ? b : c; print x\n  for (i = 0;\n       i < 2;\n       i++) print i\n}\n\n# another\nfunction f(a,\n   b) {\n  return a b\n}\nBEGIN { print f(1,\n  2) } ; BEGIN { print "end" }\'',
    "3 1\nboth\nor\n2\n0\n1\n12\nend\n",
  ],
  [
    'awk \'BEGIN{a[++n]=n; for(k in a) print k, a[k]; b[n]=n++; for(k in b) print k, b[k]; x = "A"; print x (x = "B") x; i=5; print i++ + i++, i; a["x"]=1; print a["x"]++ a["x"]; $0="a b c"; $(++m)=m; print; print $(1)$2, $NF-1, $NF^2, $NF++, $NF, -$1 }\'',
    "1 \n2 1\nABB\n11 7\n12\n b c\nb -1 0 0 1 0\n",
  ],
  [
    'awk \'BEGIN { print ! x ~ "1", !1 + 1, ! "a" ~ "0", !x in a; print -2^2, 2^3^2, 2**3, !0 " " 1; print 1 " " -1; print 1 - 1 " " 2; print 1 -1; print "a" > "/dev/stdout"; print 1==1, 1<2; print (1 2) + 3; print 2 * -3; print 1 - -1; print 6 % 4 * 2; print 10 % 3.5, -7 % 3; print 1e3 "" }\'',
    "1 1 1 0\n-4 512 8 1 1\n1-1\n0 2\n0\na\n1 1\n15\n-6\n2\n4\n3 -1\n1000\n",
  ],
  [
    'awk -F, \'NR > 1 { sum[$3] += $2; n[$3]++ } END { for (c in sum) printf "%s %.2f\\n", c, sum[c] / n[c] | "sort"; close("sort") ; print "done" }\' people.csv',
    "oslo 27.00\nparis 27.00\nrome 38.00\ndone\n",
  ],
  [
    'awk \'BEGIN { print gensub(/(a)(b)/, "\\\\2\\\\1", "g", "abab"), gensub(/a/, "x", 2, "aaa"), gensub(/a/, "[&]", "G", "banana"), gensub(/(.*)-(.*)/, "\\\\2 \\\\0", 1, "x-y"), gensub("b", "\\\\\\\\&", "g", "abc") ; $0 = "foo bar"; print gensub(/o/, "0", "g"), $0 }\'',
    "baba axa b[a]n[a]n[a] y x-y a\\bc\nf00 bar foo bar\n",
  ],
  [
    'awk \'BEGIN { print index("foobar", "bar"), index("x", ""), index("", "x"), index("é日本", "本"); print sprintf("%03d", 7) sprintf("%s") }\' ; awk \'BEGIN { print sprintf("%s-%s", "a", "b"), sprintf("x"), toupper(sprintf("%x", 255)) }\'',
    "4 1 0 3\na-b x FF\n",
  ],
  [
    'awk \'BEGIN { OFS = "-"; ORS = "|\\n"; print "a", "b"; $0 = "x y z"; $1 = $1; print; print $0; NF = 2; print; OFMT = "%.2f"; print 3.14159, 3.14159 ""; CONVFMT = "%.3f"; print 3.14159 ""; a[0.1] = 1; for (k in a) print k; x = 17; x = x ""; print x }\'',
    "a-b|\nx-y-z|\nx-y-z|\nx-y|\n3.14-3.14159|\n3.142|\n0.100|\n17|\n",
  ],
  [
    'awk \'BEGIN { CONVFMT = "%d"; a[12.7]; for (k in a) print k; b = 12.7 ""; print b, 12 "" }\'; awk \'BEGIN { OFMT = "%.0f"; print 2.5, 3.5, 2.5 "" }\'',
    "12\n12 12\n2 4 2.5\n",
  ],
  [
    'awk \'BEGIN { PROCINFO["sorted_in"] = "@ind_str_asc"; a["b"]=1; a["a"]=3; a["c"]=2; for (k in a) print k; PROCINFO["sorted_in"] = "@val_num_desc"; for (k in a) print k, a[k]; PROCINFO["sorted_in"] = "@ind_num_asc"; b[10]; b[9]; b[1]; for (k in b) print k; PROCINFO["sorted_in"] = "cmp"; for (k in a) print k } function cmp(i1, v1, i2, v2) { return v1 - v2 }\'',
    "a\nb\nc\na 3\nc 2\nb 1\n1\n9\n10\nb\nc\na\n",
  ],
  [
    'awk \'BEGIN { a[1][1] = "x"; a[1][2] = "y"; a["k"]["z"] = 3; for (i in a) for (j in a[i]) s += 1; print s, a[1][2], length(a[1]), isarray(a[1]), isarray(s), (2 in a[1]), typeof(a), typeof(a[1]), typeof(s), typeof("x"), typeof(un); delete a[1][1]; print length(a[1]); f(a["k"]); print a["k"]["new"] } function f(arr) { arr["new"] = "n" }\'',
    "3 y 2 1 0 1 array array number string untyped\n1\nn\n",
  ],
  [
    'echo "12 abc 0x1A 1e3 +5 -3. .5 . 5x" | awk \'{ for (i = 1; i <= NF; i++) printf "%s:%s:%s:%d ", $i, typeof($i), ($i == $i + 0), ($i > 4); print "" }\'',
    "12:strnum:1:1 abc:string:0:1 0x1A:string:0:0 1e3:strnum:1:1 +5:strnum:1:1 -3.:strnum:1:0 .5:strnum:1:0 .:string:0:0 5x:string:0:1 \n",
  ],
  [
    'awk \'BEGIN { print 1 == "1", "a" < "b", "10" < "9", 10 < 9, "abc" < 1, x < 1, x == 0, x == "" }\'; echo "10 9 abc" | awk \'{ print ($1 > $2), ($1 > "9"), ($3 > 5), ($1 == 10.0), ($1 == "10.0") }\'; echo " +3 " | awk -F\'|\' \'{ print ($1 == 3) }\'',
    "1 1 1 0 0 1 1 1\n1 0 1 1 0\n1\n",
  ],
  [
    'awk \'BEGIN { IGNORECASE = 1; print "ABC" ~ /abc/, "abc" == "ABC", match("xABC", "b"); s = "AbAb"; gsub(/a/, "x", s); print s; n = split("aXbxc", p, "x"); print n }\'; awk -v IGNORECASE=1 \'/THE/ { n++ } END { print n }\' words',
    "1 1 3\nxbxb\n2\n3\n",
  ],
  [
    'awk \'BEGIN { print and(12, 10), or(12, 10), xor(12, 10), lshift(1, 4), rshift(256, 2), compl(0), strtonum("0x1F"), strtonum("017"), strtonum("12abc"), strtonum(11) }\'',
    "8 14 6 16 64 9007199254740991 31 15 12 11\n",
  ],
  [
    'awk \'BEGIN { print length(ENVIRON) > 0, PROCINFO["version"] != "", FS == " ", RS == "\\n", SUBSEP == "\\034", NF, NR, FILENAME == "", RSTART, RLENGTH; print ENVIRON["HOME"] != "" } END { print FILENAME, NR, FNR }\' nums',
    "",
  ],
  [
    "awk 'function g(n) { if (n > 0) { print n; g(n - 1) } return } function h(a, i) { a[i] = i; if (i < 3) h(a, i + 1) } BEGIN { g(3); h(z, 1); for (k in z) print k, z[k] } func k() { return 1 }'",
    "",
  ],
  [
    "printf '1\\n2\\n3\\n4\\n5\\n' | awk 'NR == 2 { while ((getline x) > 0) s += x } END { print s, NR }'; printf 'a\\nb\\nc\\n' | awk '/a/ { getline; print \"after a:\", $0 } { print }'; awk 'BEGIN { while ((getline line) > 0) n++; print n }' words; awk 'BEGIN { getline; print \"first\", $0 } { print \"main\", $0 }' nums",
    "12 5\nafter a: b\nb\nc\n6\nfirst 3 4 5\nmain 10 20 30\nmain 1.5 -2 1e3\nmain 007 0x11 +5\nmain abc 1 2\n",
  ],
  [
    'awk \'BEGIN { printf "%s\\n", "a" "b" > "/dev/stderr" }\' 2>&1; awk \'BEGIN { print "err" > "/dev/stderr"; print "out" }\' 2>/dev/null; awk \'BEGIN { print "x" | "cat 1>&2" }\' 2>&1; awk \'BEGIN { print "a" > "f1"; print "b" >> "f1"; close("f1"); while ((getline l < "f1") > 0) print l }\'',
    "ab\nout\nx\na\nb\n",
  ],
  [
    'awk \'BEGIN { x["a"]; if ("a" in x) print "in"; if (x["b"] == "") print "empty"; if ("b" in x) print "created"; delete x["zz"]; print length(x) ; for (k in x) delete x[k]; print length(x) }\'',
    "in\nempty\ncreated\n2\n0\n",
  ],
  [
    'awk "BEGIN { print \\"it\'s\\"; print \'x\' }"; awk \'BEGIN { print "a" "b" "c" , "d" ; print ("a") ("b"); print("a","b") ; print("a")("b"); print (1)(2) > "/dev/stdout" }\'',
    "abc d\nab\na b\nab\n12\n",
  ],
  [
    'awk \'BEGIN { if (!("x" in a) && !(1 in a)) print "ok"; if (! x) print "nx"; if (!"") print "e"; print !"a", !!"a", - -3, +"3x", -"3x", 1 - - 1, 2 - -2; print 1,2,3; print(1)(2); print 5 " items"; print 1 " " 2, 3 }\'',
    "ok\nnx\ne\n0 1 3 3 -3 2 4\n1 2 3\n12\n5 items\n1 2 3\n",
  ],
  [
    'awk \'{ print > $1 ".out" } END { close("3.out"); while ((getline x < "3.out") > 0) print x }\' nums; ls *.out; awk \'{ print $2 > ("d_" NR) }\' noeol; cat d_1 d_2',
    "3 4 5\n007.out\n1.5.out\n10.out\n3.out\nabc.out\nb\nd\n",
  ],
  [
    'awk \'BEGIN { getline l < "absent"; print (getline l < "absent") < 0 ? "none" : "some"; if ((getline l < "nums") > 0) print l; print "cmd: " ("echo q" | getline) , $0 }\'',
    "none\n3 4 5\ncmd: 1 q\n",
  ],
  [
    'awk \'BEGIN { a = "x"; a = a a a; print a; b = c = 5; print b, c; b += c -= 2; print b, c; b ^= 2; b %= 7; b **= 2; print b; b /= 4; print b; x[1] += 5; x[1] -= 2; x[1] *= 3; print x[1]; $0 = "1 2 3"; $2 += 10; $3++; --$1; print }\'',
    "xxx\n5 5\n8 3\n1\n0.25\n9\n0 12 4\n",
  ],
  [
    "awk 'BEGIN { while (i < 10) { i++; if (i == 3) continue; if (i == 6) break; print i } print \"i\", i; do { j++; if (j == 2) continue; if (j > 4) break } while (j < 10); print j; for (;;) { if (++q > 3) break } print q }'",
    "1\n2\n4\n5\ni 6\n5\n4\n",
  ],
  [
    "awk 'NR == 1, NR == 2 { print \"r\", $0; next } { print \"o\", $0 } END { print NR }' nums; awk 'BEGIN{} {print} END{}' noeol; awk 'BEGIN{print 1};END{print 2}' noeol; awk '{print $1};{print $2}' noeol; awk 'NR==1;NR==2{print \"two\"}' noeol",
    "r 3 4 5\nr 10 20 30\no 1.5 -2 1e3\no 007 0x11 +5\no abc 1 2\n5\na b\nc d\n1\n2\na\nb\nc\nd\na b\ntwo\n",
  ],
  [
    "printf 'a b\\r\\nc d\\r\\n' | awk '{ print $2 \"|\" }' | od -c; printf 'x\\0y\\n' | awk '{ print length($0) }'; printf 'a\\n\\n\\nb\\n' | awk 'END { print NR }'; printf '' | awk 'END { print NR }'; printf '\\n' | awk 'END { print NR }'; printf 'no newline' | awk '{ print }'",
    "0000000   b  \\r   |  \\n   d  \\r   |  \\n\n0000010\n3\n4\n0\n1\nno newline\n",
  ],
  [
    'awk \'BEGIN { n = split("c a b", arr); for (i = 1; i <= n; i++) for (j = i + 1; j <= n; j++) if (arr[i] > arr[j]) { t = arr[i]; arr[i] = arr[j]; arr[j] = t } for (i = 1; i <= n; i++) printf "%s%s", arr[i], (i < n ? OFS : ORS) }\'',
    "a b c\n",
  ],
  [
    'awk \'BEGIN { BEGINFILE_x = 1 } BEGINFILE { print "start", FILENAME, ERRNO; if (ERRNO) nextfile } { n++ } ENDFILE { print "end", FNR, n } END { print NR }\' nums absent noeol',
    "start nums \nend 5 5\nstart absent No such file or directory\nstart noeol \nend 2 7\n7\n",
  ],
  [
    'awk \'BEGIN { c = "sort"; print "b" |& c; print "a" |& c; close(c, "to"); while ((c |& getline l) > 0) print l; close(c) }\'; awk \'BEGIN { f = "g"; print @f(2) } function g(x) { return x * 2 }\'',
    "a\nb\n4\n",
  ],
  [
    'awk \'function constructor(x) { return x * 2 } function toString(y) { return y "s" } BEGIN { print constructor(3), toString("a") }\'; awk \'BEGIN { this = 1; new = 2; eval = 3; print this, new, eval; a["__proto__"] = 4; print a["__proto__"], ("constructor" in a) }\'',
    "6 as\n1 2 3\n4 0\n",
  ],
  [
    "awk 'function f(a, a) {} BEGIN { print 1 }' 2> /dev/null; echo $?; awk 'function f(f) {}' 2> /dev/null; echo $?",
    "1\n1\n",
  ],
  [
    'awk \'BEGIN { x = 5; print x - -4, x - (-4), x + !y, x + ("a" < "b"), - -x, x - -x, 3 + (1 in a), -(x == 5), x - +(x ~ 5) }\'',
    "9 9 6 6 5 10 3 -1 4\n",
  ],
  [
    "for p in 'BEGIN { next }' 'END { nextfile }' 'BEGIN { print index(\"abc\", /b/) }' 'function f() { next } BEGIN { f() }'; do awk \"$p\" nums 2> err; echo $?; wc -l < err; done; awk 'function f() { if (NR > 1) next } { f(); print }' nums",
    "1\n1\n1\n1\n2\n1\n2\n1\n3 4 5\n",
  ],
  [
    "awk 'function g() { q = 10; return 1 } BEGIN { q = 1; q += g(); z = 2; z *= (3 + (z += 1)); x = 1; x += x++; j = 1; j -= (j = 5); m[1] = 2; m[1] ^= (m[1] = 3); i = 1; m[i++] += i; print q, z, x, j, m[1], i; $0 = \"1 2\"; $2 += ($2 = 4); print }'",
    "11 18 3 0 28 2\n1 8\n",
  ],
];
