module github.com/segue-go/segue/examples/nbio

go 1.26.0

replace github.com/segue-go/segue => ../../

require (
	github.com/lesismal/nbio v1.6.8
	github.com/segue-go/segue v0.0.0
	github.com/stretchr/testify v1.12.1
)

require (
	github.com/lesismal/llib v1.2.2 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)
