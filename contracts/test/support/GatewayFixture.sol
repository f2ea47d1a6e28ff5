// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Stablecoin} from "../../src/Stablecoin.sol";
import {GatewayMinter} from "../../src/gateway/GatewayMinter.sol";
import {GatewayWallet} from "../../src/gateway/GatewayWallet.sol";
import {StablecoinFixture} from "./StablecoinFixture.sol";
import {vm} from "./Vm.sol";

/// A wallet and a minter on each of two domains. Terms, intents and attestations are put together here by the layout that
/// the real contracts document, not by the library under test.
abstract contract GatewayFixture is StablecoinFixture {
    struct Side {
        uint32 domain;
        Stablecoin token;
        GatewayWallet wallet;
        GatewayMinter minter;
    }

    struct Spec {
        uint32 sourceDomain;
        uint32 destinationDomain;
        bytes32 sourceContract;
        bytes32 destinationContract;
        bytes32 sourceToken;
        bytes32 destinationToken;
        bytes32 sourceDepositor;
        bytes32 destinationRecipient;
        bytes32 sourceSigner;
        bytes32 destinationCaller;
        uint256 value;
        bytes32 salt;
        bytes hookData;
    }

    uint32 internal constant BASE = 6;
    uint32 internal constant ARC = 26;
    uint256 internal constant DELAY = 100;
    uint256 internal constant FOREVER = type(uint256).max;
    uint256 internal constant OPERATOR_KEY = 0x09e7a;
    address internal constant FEES = address(0xfee5);
    bytes32 internal constant INTENT_TYPEHASH = 0x8b99d17a83a2dd1add9fc2a450e22732c7e8564aa110ab99c20485a7a10ba37c;
    bytes32 internal constant SET_TYPEHASH = 0xe30760cf7d79e3521ad1553a73a6c6f8d33226ea613eaa29ceda6de148fbd07a;
    bytes32 internal constant SPEC_TYPEHASH = 0x44409c7ba8872720f5fc290d2788c2d70a3905b7ca1cdb2ffa152791a69e089b;
    bytes32 internal constant DOMAIN_TYPEHASH = 0xb03948446334eb9b2196d5eb166f69b9d49403eb4a12f36de8d3f9f3cb8e15c3;

    Side internal base;
    Side internal arc;

    function setUp() public virtual override {
        super.setUp();
        base = deploySide(BASE);
        arc = deploySide(ARC);
    }

    function deploySide(uint32 domain) internal returns (Side memory side) {
        address operator = vm.addr(OPERATOR_KEY);
        side.domain = domain;
        side.token = new Stablecoin("USDC", "USDC", "USD", ADMINISTRATOR);
        address[] memory tokens = new address[](1);
        tokens[0] = address(side.token);
        side.wallet = new GatewayWallet(ADMINISTRATOR, tokens, domain, DELAY, operator, FEES);
        side.minter = new GatewayMinter(ADMINISTRATOR, tokens, domain, operator);
        vm.prank(ADMINISTRATOR);
        side.token.configureMinter(MINTER, type(uint128).max);
        // It burns, which only minters may, and mints nothing.
        vm.prank(ADMINISTRATOR);
        side.token.configureMinter(address(side.wallet), 0);
        vm.prank(ADMINISTRATOR);
        side.token.configureMinter(address(side.minter), type(uint128).max);
    }

    function depositOn(Side memory side, address account, uint256 amount) internal {
        vm.prank(MINTER);
        side.token.mint(account, amount);
        vm.prank(account);
        side.token.approve(address(side.wallet), amount);
        vm.prank(account);
        side.wallet.deposit(address(side.token), amount);
    }

    /// From the deposit of ALICE on `side` to CAROL on `remote`.
    function specFor(Side memory side, Side memory remote, uint256 value, bytes32 salt)
        internal
        view
        returns (Spec memory)
    {
        return Spec({
            sourceDomain: side.domain,
            destinationDomain: remote.domain,
            sourceContract: padded(address(side.wallet)),
            destinationContract: padded(address(remote.minter)),
            sourceToken: padded(address(side.token)),
            destinationToken: padded(address(remote.token)),
            sourceDepositor: padded(ALICE),
            destinationRecipient: padded(CAROL),
            sourceSigner: padded(ALICE),
            destinationCaller: 0,
            value: value,
            salt: salt,
            hookData: ""
        });
    }

    function encodeSpec(Spec memory spec) internal pure returns (bytes memory) {
        return bytes.concat(
            abi.encodePacked(
                hex"ca85def7",
                hex"00000001",
                spec.sourceDomain,
                spec.destinationDomain,
                spec.sourceContract,
                spec.destinationContract,
                spec.sourceToken,
                spec.destinationToken
            ),
            abi.encodePacked(
                spec.sourceDepositor,
                spec.destinationRecipient,
                spec.sourceSigner,
                spec.destinationCaller,
                spec.value,
                spec.salt,
                uint32(spec.hookData.length),
                spec.hookData
            )
        );
    }

    function transferId(Spec memory spec) internal pure returns (bytes32) {
        return keccak256(encodeSpec(spec));
    }

    function encodeIntent(uint256 maxBlockHeight, uint256 maxFee, Spec memory spec)
        internal
        pure
        returns (bytes memory)
    {
        bytes memory encoded = encodeSpec(spec);
        return abi.encodePacked(hex"070afbc2", maxBlockHeight, maxFee, uint32(encoded.length), encoded);
    }

    function encodeAttestation(uint256 maxBlockHeight, Spec memory spec) internal pure returns (bytes memory) {
        bytes memory encoded = encodeSpec(spec);
        return abi.encodePacked(hex"ff6fb334", maxBlockHeight, uint32(encoded.length), encoded);
    }

    function hashIntent(uint256 maxBlockHeight, uint256 maxFee, Spec memory spec) internal pure returns (bytes32) {
        bytes memory first = abi.encode(
            SPEC_TYPEHASH,
            uint256(1),
            spec.sourceDomain,
            spec.destinationDomain,
            spec.sourceContract,
            spec.destinationContract,
            spec.sourceToken,
            spec.destinationToken
        );
        bytes memory second = abi.encode(
            spec.sourceDepositor,
            spec.destinationRecipient,
            spec.sourceSigner,
            spec.destinationCaller,
            spec.value,
            spec.salt,
            keccak256(spec.hookData)
        );
        bytes32 specHash = keccak256(bytes.concat(first, second));
        return keccak256(abi.encode(INTENT_TYPEHASH, maxBlockHeight, maxFee, specHash));
    }

    /// Neither chain nor contract is in the domain.
    function signTyped(uint256 key, bytes32 structHash) internal pure returns (bytes memory) {
        bytes32 separator = keccak256(abi.encode(DOMAIN_TYPEHASH, keccak256("GatewayWallet"), keccak256("1")));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, keccak256(abi.encodePacked(hex"1901", separator, structHash)));
        return abi.encodePacked(r, s, v);
    }

    function signIntent(uint256 key, uint256 maxBlockHeight, uint256 maxFee, Spec memory spec)
        internal
        pure
        returns (bytes memory)
    {
        return signTyped(key, hashIntent(maxBlockHeight, maxFee, spec));
    }

    /// With the prefix of signed messages.
    function signMessage(uint256 key, bytes memory message) internal pure returns (bytes memory) {
        bytes32 digest = keccak256(abi.encodePacked("\x19Ethereum Signed Message:\n32", keccak256(message)));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        return abi.encodePacked(r, s, v);
    }

    function packBurn(bytes memory intent, bytes memory signature, uint256 fee) internal pure returns (bytes memory) {
        bytes[] memory intents = new bytes[](1);
        bytes[] memory signatures = new bytes[](1);
        uint256[][] memory fees = new uint256[][](1);
        intents[0] = intent;
        signatures[0] = signature;
        fees[0] = new uint256[](1);
        fees[0][0] = fee;
        return abi.encode(intents, signatures, fees);
    }

    /// Signed by ALICE with no limit of blocks, and by the operator.
    function burnOn(Side memory side, Spec memory spec, uint256 maxFee, uint256 fee) internal {
        bytes memory calldataBytes =
            packBurn(encodeIntent(FOREVER, maxFee, spec), signIntent(ALICE_KEY, FOREVER, maxFee, spec), fee);
        bytes memory signature = signMessage(OPERATOR_KEY, calldataBytes);
        side.wallet.gatewayBurn(calldataBytes, signature);
    }

    function mintOn(Side memory side, Spec memory spec) internal {
        bytes memory attestation = encodeAttestation(FOREVER, spec);
        side.minter.gatewayMint(attestation, signMessage(OPERATOR_KEY, attestation));
    }

    function padded(address account) internal pure returns (bytes32) {
        return bytes32(uint256(uint160(account)));
    }
}
